//! Where traces and metrics are sent, by file.

use super::refused;
use expect_test::expect;
use handover::settings;

#[test]
fn an_address_is_all_that_is_needed() {
    let read = settings::parse("handover.yaml", "telemetry: {endpoint: http://localhost:4318}").unwrap();
    assert_eq!(read.telemetry.endpoint.as_deref(), Some("http://localhost:4318"));
    let read = settings::parse("handover.yaml", "telemetry:\n").unwrap();
    assert_eq!(read.telemetry, handover::telemetry::TelemetrySettings::default());
}

#[test]
fn mistakes_are_told_with_their_places() {
    refused(
        "telemetry:
  endpoint: localhost:4318
  headers: {api key: secret}
  interval_ms: 5
  service: desk
",
        &expect![[r#"
            error[HO0206]: it begins with neither http:// nor https://; expected an address such as http://localhost:4318
             --> handover.yaml:2:13 in telemetry.endpoint
              |
            2 |   endpoint: localhost:4318
              |             ^^^^^^^^^^^^^^
              = hint: Correct the field that the message names.

            error[HO0206]: `api key` cannot be the name of a header
             --> handover.yaml:3:12 in telemetry.headers
              |
            3 |   headers: {api key: secret}
              |            ^
              = hint: Correct the field that the message names.

            error[HO0206]: expected 1000 (TELEMETRY_INTERVAL_MS_MIN) to 86400000 (TELEMETRY_INTERVAL_MS_MAX) milliseconds
             --> handover.yaml:4:16 in telemetry.interval_ms
              |
            4 |   interval_ms: 5
              |                ^
              = hint: Correct the field that the message names.

            error[HO0105]: there is no field `service`
             --> handover.yaml:5:3 in telemetry.service
              |
            5 |   service: desk
              |   ^^^^^^^
              = hint: the fields are endpoint, headers, service_name, interval_ms, disabled
        "#]],
    );
}
