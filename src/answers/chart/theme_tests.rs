use super::*;

/// How a colour looks to people without one kind of cone, as a matrix on linear light
/// (Machado, Oliveira and Fernandes 2009, severity 1.0).
const VISIONS: [(&str, [[f64; 3]; 3]); 4] = [
    ("full", [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
    (
        "protan",
        [
            [0.152_286, 1.052_583, -0.204_868],
            [0.114_503, 0.786_281, 0.099_216],
            [-0.003_882, -0.048_116, 1.051_998],
        ],
    ),
    (
        "deutan",
        [
            [0.367_322, 0.860_646, -0.227_968],
            [0.280_085, 0.672_501, 0.047_413],
            [-0.011_820, 0.042_940, 0.968_881],
        ],
    ),
    (
        "tritan",
        [
            [1.255_528, -0.076_749, -0.178_779],
            [-0.078_411, 0.930_809, 0.147_602],
            [0.004_733, 0.691_367, 0.303_900],
        ],
    ),
];

/// CIE L*a*b* of linear sRGB, white point D65.
fn lab(rgb: [f64; 3]) -> [f64; 3] {
    let [r, g, b] = rgb.map(|c| c.clamp(0.0, 1.0));
    let f = |t: f64| {
        if t > 0.008_856 {
            t.cbrt()
        } else {
            7.787 * t + 16.0 / 116.0
        }
    };
    let x = f((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.950_47);
    let y = f(0.2126 * r + 0.7152 * g + 0.0722 * b);
    let z = f((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.088_83);
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

fn difference(a: Rgb, b: Rgb, vision: &[[f64; 3]; 3]) -> f64 {
    let seen = |c: Rgb| {
        let light = c.linear();
        lab(vision.map(|row| row.iter().zip(light).map(|(m, l)| m * l).sum()))
    };
    let (a, b) = (seen(a), seen(b));
    a.iter()
        .zip(b)
        .map(|(a, b)| (a - b).powi(2))
        .sum::<f64>()
        .sqrt()
}

/// The categories that meet in almost every picture.
const MAIN: [Category; 5] = [
    Category::Parameters,
    Category::OptimizerStates,
    Category::Gradients,
    Category::Activations,
    Category::Temporaries,
];

#[test]
fn the_main_categories_stay_apart_for_every_colour_vision() {
    for theme in [Theme::light(), Theme::dark()] {
        for (name, vision) in &VISIONS {
            for (i, &a) in MAIN.iter().enumerate() {
                for &b in &MAIN[i + 1..] {
                    let far = difference(theme.category(a).fill, theme.category(b).fill, vision);
                    assert!(
                        far > 17.0,
                        "{name}: {a:?} and {b:?} differ by {far:.0} only"
                    );
                }
            }
        }
    }
}

#[test]
fn every_fill_stands_out_from_its_background() {
    for theme in [Theme::light(), Theme::dark()] {
        let inks = Category::ALL.iter().map(|&c| theme.category(c));
        let parts = HostPart::ALL.iter().map(|&p| theme.part(p));
        let phases = Phase::ALL.iter().map(|&p| theme.phase(p));
        for ink in inks.chain(parts).chain(phases) {
            let contrast = ink.fill.contrast(theme.background);
            assert!(contrast >= 3.0, "{} has {contrast:.2}", ink.fill.css());
        }
    }
}

#[test]
fn text_and_marked_lines_can_be_read() {
    for theme in [Theme::light(), Theme::dark()] {
        for color in [theme.text, theme.muted, theme.accent, theme.limit] {
            let contrast = color.contrast(theme.background);
            assert!(contrast >= 4.5, "{} has {contrast:.2}", color.css());
        }
        for &phase in Phase::ALL {
            let contrast = theme.phase(phase).fill.contrast(theme.background);
            assert!(
                contrast >= 4.5,
                "{phase:?} labels its line with {contrast:.2}"
            );
        }
    }
}

#[test]
fn no_two_categories_and_no_two_parts_share_fill_or_texture() {
    let theme = Theme::light();
    let categories: Vec<Ink> = Category::ALL.iter().map(|&c| theme.category(c)).collect();
    let parts: Vec<Ink> = HostPart::ALL.iter().map(|&p| theme.part(p)).collect();
    for inks in [categories, parts] {
        for (i, a) in inks.iter().enumerate() {
            for b in &inks[i + 1..] {
                assert_ne!(a.fill, b.fill);
                assert_ne!(a.texture, b.texture);
            }
        }
    }
}

#[test]
fn forced_colours_use_no_colour_of_our_own() {
    let (background, text, accent) = (Rgb(0, 0, 0), Rgb(255, 255, 0), Rgb(0, 255, 255));
    let theme = Theme::forced(background, text, accent);
    for &category in Category::ALL {
        let ink = theme.category(category);
        assert_eq!((ink.fill, ink.mark), (background, text));
    }
    assert_eq!(
        (theme.text, theme.limit, theme.accent),
        (text, text, accent)
    );
}

#[test]
fn style_sheets_get_every_ink_by_its_stable_name() {
    let css = Theme::light().custom_properties();
    let value = |name: &str| {
        let rest = css.split(&format!("--{name}:")).nth(1)?;
        rest.split(';').next()
    };
    for &category in Category::ALL {
        let fill = Theme::light().category(category).fill.css();
        assert_eq!(
            value(&format!("category-{}", category.name())),
            Some(fill.as_str())
        );
    }
    assert_eq!(value("category-parameters-texture"), Some("none"));
    let hatched = value("category-gradients-texture").unwrap_or_default();
    assert!(
        hatched.starts_with("repeating-linear-gradient(45deg,#"),
        "{hatched}"
    );
    assert!(value("part-dataset").is_some() && value("phase-backward").is_some());
}
