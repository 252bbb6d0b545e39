//! Images in words.

use super::{Language, exact};
use crate::resolve::ImageTokens;

/// The model's view of an image: "Seen as 756 by 756 pixels: 731 tokens of the sequence for each image, of 2,916
/// patches in the tower."
pub fn image_tokens_sentence(of: &ImageTokens, language: Language) -> String {
    let [height, width] = of.sides.map(exact);
    let tokens = exact(of.tokens);
    match (language, of.patches.map(exact)) {
        (Language::English, None) => {
            format!(
                "Seen as {width} by {height} pixels: {tokens} tokens of the sequence for each image."
            )
        }
        (Language::English, Some(patches)) => format!(
            "Seen as {width} by {height} pixels: {tokens} tokens of the sequence for each image, of {patches} patches in the tower."
        ),
        (Language::Chinese, None) => {
            format!("按 {width} x {height} 像素处理：每张图像占序列的 {tokens} 个词元。")
        }
        (Language::Chinese, Some(patches)) => format!(
            "按 {width} x {height} 像素处理：每张图像占序列的 {tokens} 个词元，视觉塔中为 {patches} 个图块。"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::{ModelRef, Scenario};
    use crate::resolve::image_tokens;

    #[test]
    fn an_image_is_said_with_its_tokens() {
        let of = Scenario {
            model: ModelRef::Catalog("qwen2.5-vl-3b-instruct".to_owned()),
            ..Scenario::default()
        };
        let said = image_tokens_sentence(&image_tokens(&of).expect("images"), Language::English);
        assert_eq!(
            said,
            "Seen as 756 by 756 pixels: 731 tokens of the sequence for each image, of 2,916 patches in the tower."
        );
        assert_eq!(image_tokens(&Scenario::default()), None);
    }
}
