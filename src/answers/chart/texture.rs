//! Textures: hatching and dots that tell areas apart without colour.

use super::color::Rgb;

/// A texture; the number is the distance between its marks in CSS pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Texture {
    /// None.
    Solid,
    /// Lines that rise to the right.
    Rising(i32),
    /// Lines that fall to the right.
    Falling(i32),
    /// Horizontal lines.
    Level(i32),
    /// Vertical lines.
    Upright(i32),
    /// Rising and falling lines.
    Crossed(i32),
    /// Dots.
    Dots(i32),
}

/// A stretch of an area over which its upper and its lower edge are level: `x0 <= x < x1`,
/// `top <= y < bottom`, in CSS pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Left edge.
    pub x0: i32,
    /// Right edge.
    pub x1: i32,
    /// Upper edge.
    pub top: i32,
    /// Lower edge.
    pub bottom: i32,
}

/// One mark of a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// A slanted line between two points.
    Line((i32, i32), (i32, i32)),
    /// A rectangle from its upper left to its lower right corner: a level line or a dot.
    Block((i32, i32), (i32, i32)),
}

/// Areas lower than this many CSS pixels show their fill only.
const LOWEST: i32 = 4;
/// The shortest slanted stroke worth drawing, in CSS pixels.
const SHORTEST: i32 = 2;

impl Texture {
    /// The texture as a CSS background image in the given color; `none` for none.
    pub fn css(self, mark: Rgb) -> String {
        let color = mark.css();
        let lines = |angle: i32, gap: f64| {
            format!(
                "repeating-linear-gradient({angle}deg,{color} 0 1px,transparent 1px {gap:.1}px)"
            )
        };
        // Slanted lines are `gap` apart along the axes, so nearer to each other across.
        let across = |gap: i32| f64::from(gap) * std::f64::consts::FRAC_1_SQRT_2;
        match self {
            Self::Solid => "none".to_owned(),
            Self::Rising(gap) => lines(135, across(gap)),
            Self::Falling(gap) => lines(45, across(gap)),
            Self::Level(gap) => lines(0, f64::from(gap)),
            Self::Upright(gap) => lines(90, f64::from(gap)),
            Self::Crossed(gap) => {
                format!("{},{}", lines(135, across(gap)), lines(45, across(gap)))
            }
            Self::Dots(gap) => {
                format!("radial-gradient({color} 1px,transparent 1.2px) 0 0/{gap}px {gap}px")
            }
        }
    }

    /// The marks of this texture on an area made of columns that touch, from left to right.
    ///
    /// Marks lie on a grid common to the whole figure, so that equal textures continue across
    /// neighbouring areas.
    pub fn marks(self, columns: &[Column], mut put: impl FnMut(Mark)) {
        match self {
            Self::Solid => {}
            Self::Rising(gap) => slanted(columns, gap, 1, &mut put),
            Self::Falling(gap) => slanted(columns, gap, -1, &mut put),
            Self::Crossed(gap) => {
                slanted(columns, gap, 1, &mut put);
                slanted(columns, gap, -1, &mut put);
            }
            Self::Level(gap) => level(columns, gap, &mut put),
            Self::Upright(gap) => {
                on_grid(columns, gap, |x, column| {
                    put(Mark::Block((x, column.top), (x + 1, column.bottom)));
                });
            }
            Self::Dots(gap) => {
                on_grid(columns, gap, |x, column| {
                    // Every other column of dots is lower by half a step.
                    let shift = if x.div_euclid(gap) % 2 == 0 {
                        0
                    } else {
                        gap / 2
                    };
                    let mut y = next_on_grid(column.top + 1 - shift, gap) + shift;
                    while y + 2 < column.bottom {
                        put(Mark::Block((x, y), (x + 2, y + 2)));
                        y += gap;
                    }
                });
            }
        }
    }
}

/// The first multiple of `gap` that is not below `from`.
fn next_on_grid(from: i32, gap: i32) -> i32 {
    from + (-from).rem_euclid(gap)
}

fn on_grid(columns: &[Column], gap: i32, mut put: impl FnMut(i32, &Column)) {
    for column in columns.iter().filter(|c| c.bottom - c.top >= LOWEST) {
        let mut x = next_on_grid(column.x0, gap);
        while x < column.x1 {
            put(x, column);
            x += gap;
        }
    }
}

fn level(columns: &[Column], gap: i32, put: &mut impl FnMut(Mark)) {
    let (top, bottom) = extent(columns);
    let mut y = next_on_grid(top + 1, gap);
    while y < bottom - 1 {
        let mut run: Option<(i32, i32)> = None;
        for column in columns {
            let inside =
                column.bottom - column.top >= LOWEST && column.top < y && y < column.bottom - 1;
            run = match (run, inside) {
                (Some((x0, _)), true) => Some((x0, column.x1)),
                (None, true) => Some((column.x0, column.x1)),
                (Some((x0, x1)), false) => {
                    put(Mark::Block((x0, y), (x1, y + 1)));
                    None
                }
                (None, false) => None,
            };
        }
        if let Some((x0, x1)) = run {
            put(Mark::Block((x0, y), (x1, y + 1)));
        }
        y += gap;
    }
}

fn extent(columns: &[Column]) -> (i32, i32) {
    let top = columns.iter().map(|c| c.top).min().unwrap_or(0);
    let bottom = columns.iter().map(|c| c.bottom).max().unwrap_or(0);
    (top, bottom)
}

/// Lines `y = c - sign * x`, clipped to the columns and joined across them.
fn slanted(columns: &[Column], gap: i32, sign: i32, put: &mut impl FnMut(Mark)) {
    let (Some(first), Some(last)) = (columns.first(), columns.last()) else {
        return;
    };
    let (top, bottom) = extent(columns);
    let (low, high) = if sign > 0 {
        (first.x0 + top, last.x1 + bottom)
    } else {
        (top - last.x1, bottom - first.x0)
    };
    let mut c = next_on_grid(low, gap);
    while c <= high {
        // Along this line, x where y is between the area's extremes.
        let (from, to) = if sign > 0 {
            (c - bottom, c - top)
        } else {
            (top - c, bottom - c)
        };
        let start = columns.partition_point(|column| column.x1 <= from);
        let mut run: Option<(i32, i32)> = None;
        let mut flush = |run: &mut Option<(i32, i32)>| {
            if let Some((x0, x1)) = run.take()
                && x1 - x0 >= SHORTEST
            {
                put(Mark::Line((x0, c - sign * x0), (x1, c - sign * x1)));
            }
        };
        for column in columns[start..].iter().take_while(|column| column.x0 < to) {
            let (enter, leave) = if sign > 0 {
                (c - column.bottom, c - column.top)
            } else {
                (column.top - c, column.bottom - c)
            };
            let (x0, x1) = (enter.max(column.x0), leave.min(column.x1));
            if x0 >= x1 || column.bottom - column.top < LOWEST {
                flush(&mut run);
            } else {
                match run {
                    Some((begin, end)) if end == x0 => run = Some((begin, x1)),
                    _ => {
                        flush(&mut run);
                        run = Some((x0, x1));
                    }
                }
            }
        }
        flush(&mut run);
        c += gap;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAIRS: [Column; 3] = [
        Column {
            x0: 0,
            x1: 20,
            top: 30,
            bottom: 60,
        },
        Column {
            x0: 20,
            x1: 50,
            top: 10,
            bottom: 60,
        },
        Column {
            x0: 50,
            x1: 60,
            top: 40,
            bottom: 60,
        },
    ];

    fn inside((x, y): (i32, i32)) -> bool {
        STAIRS
            .iter()
            .any(|c| c.x0 <= x && x <= c.x1 && c.top <= y && y <= c.bottom)
    }

    #[test]
    fn every_texture_stays_inside_its_area_and_marks_it() {
        for texture in [
            Texture::Rising(8),
            Texture::Falling(8),
            Texture::Crossed(12),
            Texture::Level(6),
            Texture::Upright(7),
            Texture::Dots(6),
        ] {
            let mut count = 0;
            texture.marks(&STAIRS, |mark| {
                count += 1;
                let (Mark::Line(a, b) | Mark::Block(a, b)) = mark;
                assert!(inside(a) && inside(b), "{texture:?} {mark:?}");
            });
            assert!(count >= 5, "{texture:?} has {count} marks");
        }
    }

    #[test]
    fn a_slanted_line_is_not_broken_where_columns_touch() {
        let whole = [Column {
            x0: 0,
            x1: 40,
            top: 0,
            bottom: 40,
        }];
        let split = [
            Column {
                x0: 0,
                x1: 13,
                top: 0,
                bottom: 40,
            },
            Column {
                x0: 13,
                x1: 40,
                top: 0,
                bottom: 40,
            },
        ];
        let count = |columns: &[Column]| {
            let mut n = 0;
            Texture::Rising(8).marks(columns, |_| n += 1);
            n
        };
        assert_eq!(count(&whole), count(&split));
    }

    #[test]
    fn a_sliver_shows_its_fill_only() {
        let sliver = [Column {
            x0: 0,
            x1: 100,
            top: 5,
            bottom: 8,
        }];
        Texture::Upright(7).marks(&sliver, |mark| panic!("{mark:?}"));
        Texture::Rising(8).marks(&sliver, |mark| panic!("{mark:?}"));
    }
}
