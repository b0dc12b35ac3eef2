//! The file `truth`: what each start was, what was lost in it, how it ended.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Appends lines to `folder`/truth. A line is written at once, so that processes may write at the same time.
#[derive(Clone, Debug)]
pub struct Truth {
    path: PathBuf,
}

impl Truth {
    pub fn new(folder: &Path) -> Truth {
        Truth {
            path: folder.join("truth"),
        }
    }

    pub fn write(&self, line: &str) {
        let file = OpenOptions::new().append(true).create(true).open(&self.path);
        let written = file.and_then(|mut file| file.write_all(format!("{}\n", line).as_bytes()));
        if let Err(error) = written {
            eprintln!("usbbus: {}: {}", self.path.display(), error);
        }
    }
}
