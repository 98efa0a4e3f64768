//! What other tools are given.

use super::samples;
use crate::graph::{dot, mermaid, svg};
use expect_test::expect;

#[test]
fn mermaid_source() {
    let source = mermaid(&samples::retry());
    expect![[r#"
        ---
        title: "A workflow that tries again"
        ---
        flowchart TD
            n0(("start")):::start
            n1["draft"]:::state
            n2["review"]:::state
            n3["publish"]:::state
            n4((("done"))):::good
            n5((("given up"))):::bad
            n0 --> n1
            n1 --> n2
            n2 -->|"approved"| n3
            n2 -.->|"×2 changes wanted<br/>back"| n1
            n3 --> n4
            n3 -.->|"again<br/>retry"| n1
            n2 -->|"rejected<br/>error"| n5
            linkStyle 3 stroke:#d97706
            linkStyle 5 stroke:#d97706
            linkStyle 6 stroke:#dc2626
            classDef agent fill:#eef2ff,stroke:#6366f1,color:#1e1b4b
            classDef person fill:#fdf4ff,stroke:#c026d3,color:#4a044e
            classDef state fill:#f8fafc,stroke:#64748b,color:#0f172a
            classDef start fill:#e2e8f0,stroke:#334155,color:#0f172a
            classDef ended fill:#e2e8f0,stroke:#334155,color:#0f172a,stroke-width:3px
            classDef group fill:#f1f5f9,stroke:#475569,color:#0f172a,stroke-width:2px
            classDef active fill:#cffafe,stroke:#0891b2,color:#164e63,stroke-width:3px
            classDef good fill:#dcfce7,stroke:#16a34a,color:#14532d
            classDef bad fill:#fee2e2,stroke:#dc2626,color:#7f1d1d
            classDef waiting fill:#fef3c7,stroke:#d97706,color:#78350f,stroke-dasharray:5 3
            classDef note fill:none,stroke:none,color:#64748b
    "#]]
    .assert_eq(&source);
    let source = mermaid(&samples::long());
    expect![[r##"
        ---
        title: "Long names"
        ---
        flowchart TD
            n0("customer-support-triage-agent-for-europe-and-africa<br/>answers in twenty-four languages, day and night"):::agent
            n1("translator"):::agent
            n2("a"):::agent
            n0 -->|"Translate the complaint about the late delivery and answer it in the language of the customer"| n1
            n1 -->|"#34;quoted#34; #91;x#93; #60;b#62;#38;amp#59; end"| n2
    "##]].assert_eq(source.split_once("    classDef").unwrap().0);
}

#[test]
fn graphviz_source() {
    expect![[r##"
        digraph handover {
            rankdir=TB
            bgcolor="transparent"
            labelloc=t
            label="Session trip-7"
            graph [fontname="Helvetica", fontsize=16]
            node [fontname="Helvetica", fontsize=12, style="filled,rounded", margin="0.2,0.1"]
            edge [fontname="Helvetica", fontsize=10, color="#64748b", fontcolor="#334155"]
            n0 [label="planner", shape=box, fillcolor="#eef2ff", color="#6366f1"]
            n1 [label="pilot", shape=box, fillcolor="#eef2ff", color="#6366f1"]
            n2 [label="hotel", shape=box, fillcolor="#eef2ff", color="#6366f1"]
            n3 [label="guide", shape=box, fillcolor="#cffafe", color="#0891b2"]
            n4 [label="ann", shape=box, peripheries=2, fillcolor="#fef3c7", color="#d97706"]
            n0 -> n1 [label="#1 Find a jet\ndelegation\ncompleted · 1.2 s", penwidth=2, color="#16a34a"]
            n0 -> n2 [label="#2 Find a room\ndelegation\nfailed · 40 ms", penwidth=2, color="#dc2626"]
            n0 -> n3 [label="#3 Plan a walk\ndelegation\nrunning", penwidth=2, color="#0891b2"]
            n1 -> n0 [label="#1\nreturn\nsuccess", style=dashed, constraint=false]
            n2 -> n0 [label="#2\nreturn\nfailed", style=dashed, constraint=false, color="#dc2626"]
            n3 -> n4 [label="#4 May we spend more?\nescalation\noffered", penwidth=2, color="#d97706"]
        }
    "##]]
    .assert_eq(&dot(&samples::fan()));
    expect![[r##"
        digraph handover {
            rankdir=TB
            bgcolor="transparent"
            labelloc=t
            label="Long names"
            graph [fontname="Helvetica", fontsize=16]
            node [fontname="Helvetica", fontsize=12, style="filled,rounded", margin="0.2,0.1"]
            edge [fontname="Helvetica", fontsize=10, color="#64748b", fontcolor="#334155"]
            n0 [label="customer-support-triage-agent-for-europe-and-africa\nanswers in twenty-four languages, day and night", shape=box, fillcolor="#eef2ff", color="#6366f1"]
            n1 [label="translator", shape=box, fillcolor="#eef2ff", color="#6366f1"]
            n2 [label="a", shape=box, fillcolor="#eef2ff", color="#6366f1"]
            n0 -> n1 [label="Translate the complaint about the late delivery and answer it in the language of the customer"]
            n1 -> n2 [label="\"quoted\" [x] <b>&amp;amp; end"]
        }
    "##]].assert_eq(&dot(&samples::long()));
}

#[test]
fn a_picture() {
    let picture = svg(&samples::alone());
    assert!(picture.contains("prefers-color-scheme: dark"));
    let (head, rest) = picture.split_once("<style>").unwrap();
    expect![[r#"
        <svg xmlns="http://www.w3.org/2000/svg" class="hg" role="img" aria-label="To itself" width="243" height="198" viewBox="0 0 243 198">

        <rect class="hg-ground" width="243" height="198"/>
        <text class="hg-title" x="24" y="40">To itself</text>
        <g transform="translate(24 64)">
        <g class="hg-edge hg-dashed hg-edge-waiting"><title>poller → poller · ×7 not yet · retry</title>
        <path class="hg-line" d="M81 10C115 2 115 36 90 28"/><path class="hg-head" d="M81 28l9 -4.5v9z"/></g>
        <g class="hg-edge"><title>poller → reader</title>
        <path class="hg-line" d="M41 38V63"/><path class="hg-head" d="M41 72l-4.5 -9h9z"/></g>
        <g class="hg-agent"><title>poller</title>
        <rect class="hg-box" x="1" y="0" width="80" height="38" rx="10"/>
        <text class="hg-name" x="41" y="24">poller</text>
        </g>
        <g class="hg-agent"><title>reader</title>
        <rect class="hg-box" x="0" y="72" width="82" height="38" rx="10"/>
        <text class="hg-name" x="41" y="96">reader</text>
        </g>
        <text class="hg-label" x="151" y="16">×7 not yet</text>
        <text class="hg-label hg-small" x="151" y="31">retry</text>
        </g>
        </svg>
    "#]].assert_eq(&format!("{head}{}", rest.split_once("</style>").unwrap().1));
}

#[test]
fn the_same_graph_gives_the_same_picture() {
    for (name, graph) in samples::all() {
        assert_eq!(svg(&graph), svg(&graph.clone()), "{name}");
    }
}
