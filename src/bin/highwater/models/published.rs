//! Graphs that come along, in the program itself.

/// The archives by their ids.
macro_rules! archives {
    ($($id:literal)+) => {
        &[$(($id, include_bytes!(concat!("../../../../public/graphs/", $id, ".pt2")))),+]
    };
}

/// In the order of their list.
const ARCHIVES: &[(&str, &[u8])] = archives! {
    "timm-resnet18"
    "timm-resnet50"
    "timm-resnet101"
    "timm-convnext-tiny"
    "timm-convnext-base"
    "timm-efficientnet-b0"
    "timm-efficientnet-b4"
    "timm-tf-efficientnetv2-m"
    "timm-mobilenetv3-large-100"
    "timm-vit-small-patch16-224"
    "timm-vit-base-patch16-224"
    "timm-vit-large-patch16-224"
    "torchvision-resnet50-fpn"
    "torchvision-deeplabv3-resnet50"
    "yolov8n"
    "yolo11n"
    "yolov8s"
    "yolo11s"
    "yolov8m"
    "yolo11m"
    "yolov8l"
    "yolo11l"
    "yolov8x"
    "yolo11x"
    "smp-unet-resnet34"
    "unet"
    "nnunet-3d-fullres"
    "swin-unetr"
    "sd-1.5-unet"
    "sdxl-unet"
    "sd-3.5-medium"
    "sd-3.5-large"
    "flux.1-dev"
    "qwen-image"
    "wan2.1-t2v-1.3b"
    "wan2.1-t2v-14b"
    "autoencoder-kl"
    "wav2vec2-base"
    "conformer-l"
    "nanogpt-124m"
    "nanogpt-350m"
    "lstm-lm"
    "dcgan-generator"
    "dcgan-discriminator"
    "pointnet"
    "gcn-cora"
    "dlrm-kaggle"
};

/// The archive of a graph.
pub fn archive(id: &str) -> Option<&'static [u8]> {
    let found = ARCHIVES.iter().find(|(own, _)| *own == id);
    found.map(|(_, archive)| *archive)
}

#[cfg(test)]
mod tests {
    use super::*;
    use highwater::exported::read;
    use highwater::families::{search_graphs, unknown_operations};
    use std::io::Cursor;

    #[test]
    fn every_graph_that_is_listed_is_there() {
        let listed: Vec<&str> = search_graphs("").iter().map(|g| g.id.as_str()).collect();
        let there: Vec<&str> = ARCHIVES.iter().map(|(id, _)| *id).collect();
        assert_eq!(there, listed);
        let bytes: usize = ARCHIVES.iter().map(|(_, archive)| archive.len()).sum();
        assert!(bytes < 5 << 19, "{bytes} bytes in the program");
    }

    #[test]
    fn graphs_are_what_their_list_says() {
        for listed in search_graphs("") {
            let archive = archive(&listed.id).expect("an archive");
            let graph = read(Cursor::new(archive)).expect("a graph");
            assert_eq!(graph.digest, listed.digest, "{}", listed.id);
            assert_eq!(
                graph.parameters().cast_unsigned(),
                listed.parameters,
                "{}",
                listed.id
            );
            let unknown = unknown_operations(&graph);
            // It rotates by complex numbers, which it moves to the device.
            let is_known = unknown.is_empty() || listed.id == "qwen-image";
            assert!(is_known, "{} has unknown operations", listed.id);
            assert!(archive.len() < 350_000, "{}", listed.id);
        }
    }
}
