//! The table of `nvidia-smi` (drivers 390 to 580): the GPUs of a machine, and their memory in use.
//!
//! Known limitations: names that drivers before 510 cut short are told by their capacity alone; parts of a GPU (MIG)
//! are not told apart.

use super::size::{Size, leading, trailing};
use serde::Serialize;

/// The machine that the table describes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SmiTable {
    /// The GPUs, in their order.
    pub gpus: Vec<SmiGpu>,
    /// The processes, where the table names some.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub processes: Vec<SmiProcess>,
}

/// A GPU of the table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SmiGpu {
    /// Its name, cut short where it ends in an ellipsis.
    pub name: String,
    /// Bytes in use.
    pub used: u64,
    /// Bytes of its memory, including bytes that the driver keeps.
    pub total: u64,
}

/// A process of the table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SmiProcess {
    /// The GPU's number.
    pub gpu: u64,
    /// Its number.
    pub pid: u64,
    /// Its GPU memory, in bytes.
    pub bytes: u64,
}

impl SmiTable {
    /// The most that is in use of one of the GPUs, in bytes.
    pub fn most_in_use(&self) -> u64 {
        self.gpus.iter().map(|gpu| gpu.used).max().unwrap_or(0)
    }
}

/// Reads the first table of a text; nothing where there is none.
pub fn read_smi(text: &str) -> Option<SmiTable> {
    // Amounts stand as `12MiB / 81920MiB` on the line below the name's.
    if !text.contains("MiB") || !text.contains('|') {
        return None;
    }
    let mut table = SmiTable::default();
    let mut name: Option<&str> = None;
    let mut seen_head = 0;
    for line in text.lines().map(str::trim) {
        seen_head += u32::from(line.contains("NVIDIA-SMI"));
        if seen_head > 1 {
            break;
        }
        let Some(row) = line.strip_prefix(['|', '│']) else {
            continue;
        };
        let mut cells = row.split(['|', '│']).map(str::trim);
        let first = cells.next().unwrap_or_default();
        let second = cells.next().unwrap_or_default();
        if let Some(gpu) = memory(second) {
            let name = name.take().unwrap_or_default().to_owned();
            table.gpus.push(SmiGpu { name, ..gpu });
        } else if let Some(process) = process(first) {
            table.processes.push(process);
        } else if let Some(named) = gpu_name(first) {
            name = Some(named);
        }
    }
    (!table.gpus.is_empty()).then_some(table)
}

/// `0MiB / 81920MiB`, of a GPU without its name.
fn memory(cell: &str) -> Option<SmiGpu> {
    let (used, total) = cell.split_once('/')?;
    let bytes = |text: &str| leading(text).and_then(Size::bytes);
    let (used, total) = (bytes(used)?, bytes(total)?);
    let name = String::new();
    (used <= total && total > 0).then_some(SmiGpu { name, used, total })
}

/// `0  NVIDIA A100-SXM4-80GB          On`: the name is between the number and the persistence mode.
fn gpu_name(cell: &str) -> Option<&str> {
    let digits = cell
        .find(|c: char| !c.is_ascii_digit())
        .filter(|&at| at > 0)?;
    let rest = cell[digits..].strip_prefix(char::is_whitespace)?.trim();
    let modes = ["On", "Off", "N/A", "WDDM", "TCC", "Enabled", "Disabled"];
    let named = modes.iter().find_map(|mode| rest.strip_suffix(mode));
    Some(named.unwrap_or(rest).trim()).filter(|name| name.contains(char::is_alphabetic))
}

/// `0   N/A  N/A   4711   C   python   12034MiB`
fn process(cell: &str) -> Option<SmiProcess> {
    let bytes = trailing(cell).and_then(Size::bytes)?;
    let mut words = cell.split_whitespace();
    let gpu = words.next()?.parse().ok()?;
    // The instances of a MIG follow in newer drivers.
    let pid = words.find_map(|word| word.parse().ok())?;
    Some(SmiProcess { gpu, pid, bytes })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    fn table(names: &[(&str, u64)]) -> String {
        let mut text = String::from(
            "+-----------------------------------------+\n| NVIDIA-SMI 550.54.15    Driver Version: 550.54.15   CUDA Version: 12.4 |\n",
        );
        for (at, (name, used)) in names.iter().enumerate() {
            let row = format!(
                "|   {at}  {name}          On  |   00000000:1B:00.0 Off |                    0 |\n| N/A   28C    P0              70W /  700W |  {used:>6}MiB /  81559MiB |      0%      Default |\n"
            );
            text += &row;
        }
        text + "| Processes:                          |\n|    0   N/A  N/A      4711      C   python3              12000MiB |\n"
    }

    #[test]
    fn the_table_of_nvidia_smi_gives_gpus_and_processes() {
        let read = read_smi(&table(&[
            ("NVIDIA H100 80GB HBM3", 12010),
            ("NVIDIA H100 80GB HBM3", 4),
        ]));
        let read = read.expect("a table");
        assert_eq!(read.gpus.len(), 2);
        assert_eq!(read.gpus[1].name, "NVIDIA H100 80GB HBM3");
        assert_eq!(
            (read.gpus[0].used, read.gpus[0].total),
            (12010 * MIB, 81559 * MIB)
        );
        assert_eq!(read.most_in_use(), 12010 * MIB);
        let process = SmiProcess {
            gpu: 0,
            pid: 4711,
            bytes: 12000 * MIB,
        };
        assert_eq!(read.processes, [process]);
    }

    #[test]
    fn other_tables_are_none() {
        assert_eq!(read_smi("| a | 3 MiB |\n| b | 4 MiB / 5 |\n"), None);
        assert_eq!(
            read_smi("| Allocated memory | 14935 MiB | 15377 MiB |"),
            None
        );
    }
}
