//! The colours of a picture. The names begin with `hg`, so that they meet no others in a page.

/// The style sheet.
pub(super) const STYLE: &str = "
.hg{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif}
.hg-ground{fill:#ffffff}
.hg-title{font-size:18px;font-weight:600;fill:#0f172a}
.hg-note{font-size:12px;fill:#64748b}
.hg-name{font-size:14px;font-weight:500;fill:#0f172a;text-anchor:middle}
.hg-detail{font-size:12px;fill:#475569;text-anchor:middle}
.hg-box{fill:#f8fafc;stroke:#94a3b8;stroke-width:1.5}
.hg-inner{fill:none;stroke:#94a3b8;stroke-width:1}
.hg-agent .hg-box{fill:#eef2ff;stroke:#818cf8}
.hg-person .hg-box{fill:#fdf4ff;stroke:#d946ef}
.hg-start .hg-box{fill:#e2e8f0;stroke:#475569}
.hg-active .hg-box{fill:#cffafe;stroke:#0891b2;stroke-width:2.5}
.hg-good .hg-box{fill:#dcfce7;stroke:#16a34a}
.hg-bad .hg-box{fill:#fee2e2;stroke:#dc2626}
.hg-waiting .hg-box{fill:#fef3c7;stroke:#d97706;stroke-dasharray:6 3}
.hg-line{fill:none;stroke:#64748b;stroke-width:1.5}
.hg-strong .hg-line{stroke-width:2.25}
.hg-w1 .hg-line{stroke-width:1.25}
.hg-w2 .hg-line{stroke-width:2}
.hg-w3 .hg-line{stroke-width:3}
.hg-w4 .hg-line{stroke-width:4.5}
.hg-w5 .hg-line{stroke-width:6}
.hg-dashed .hg-line{stroke-dasharray:6 4}
.hg-head{fill:#64748b}
.hg-label{font-size:12px;fill:#334155;text-anchor:middle}
.hg-plate{fill:#ffffff;fill-opacity:.92}
.hg-small{fill:#64748b;font-size:11px}
.hg-edge-active .hg-line{stroke:#0891b2}.hg-edge-active .hg-head{fill:#0891b2}
.hg-edge-good .hg-line{stroke:#16a34a}.hg-edge-good .hg-head{fill:#16a34a}
.hg-edge-bad .hg-line{stroke:#dc2626}.hg-edge-bad .hg-head{fill:#dc2626}
.hg-edge-waiting .hg-line{stroke:#d97706}.hg-edge-waiting .hg-head{fill:#d97706}
@media screen and (prefers-color-scheme: dark){
.hg-ground{fill:#0f172a}
.hg-title,.hg-name{fill:#f1f5f9}
.hg-note{fill:#94a3b8}
.hg-detail{fill:#cbd5e1}
.hg-box{fill:#1e293b;stroke:#64748b}
.hg-inner{stroke:#64748b}
.hg-agent .hg-box{fill:#1e1b4b;stroke:#818cf8}
.hg-person .hg-box{fill:#4a044e;stroke:#e879f9}
.hg-start .hg-box{fill:#334155;stroke:#94a3b8}
.hg-active .hg-box{fill:#164e63;stroke:#22d3ee}
.hg-good .hg-box{fill:#14532d;stroke:#4ade80}
.hg-bad .hg-box{fill:#7f1d1d;stroke:#f87171}
.hg-waiting .hg-box{fill:#78350f;stroke:#fbbf24}
.hg-line{stroke:#94a3b8}
.hg-head{fill:#94a3b8}
.hg-label{fill:#e2e8f0}
.hg-plate{fill:#0f172a}
.hg-small{fill:#94a3b8}
.hg-edge-active .hg-line{stroke:#22d3ee}.hg-edge-active .hg-head{fill:#22d3ee}
.hg-edge-good .hg-line{stroke:#4ade80}.hg-edge-good .hg-head{fill:#4ade80}
.hg-edge-bad .hg-line{stroke:#f87171}.hg-edge-bad .hg-head{fill:#f87171}
.hg-edge-waiting .hg-line{stroke:#fbbf24}.hg-edge-waiting .hg-head{fill:#fbbf24}
}
";
