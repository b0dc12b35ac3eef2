//! The words `key=value` of an item.

use std::collections::HashMap;
use std::str::FromStr;

/// Each must be asked for.
pub struct Keys<'a>(HashMap<&'a str, &'a str>);

impl<'a> Keys<'a> {
    pub fn of(item: Vec<&'a str>) -> Result<Keys<'a>, String> {
        let mut keys = HashMap::new();
        for word in item {
            let at = word
                .find('=')
                .ok_or_else(|| format!("`{}`: words are key=value", word))?;
            if keys.insert(&word[..at], &word[at + 1..]).is_some() {
                return Err(format!("`{}` is there twice", &word[..at]));
            }
        }
        Ok(Keys(keys))
    }

    pub fn text(&mut self, key: &str) -> Option<&'a str> {
        self.0.remove(key)
    }

    pub fn number<T: FromStr>(&mut self, key: &str, otherwise: T) -> Result<T, String> {
        match self.0.remove(key) {
            None => Ok(otherwise),
            Some(text) => text
                .parse()
                .map_err(|_| format!("{}={}: not a number that can be here", key, text)),
        }
    }

    pub fn positive(&mut self, key: &str, otherwise: f64) -> Result<f64, String> {
        let value: f64 = self.number(key, otherwise)?;
        match (1.0..=1e15).contains(&value) {
            true => Ok(value),
            false => Err(format!("{}={}: at least 1", key, value)),
        }
    }

    /// Seconds, as nanoseconds.
    pub fn seconds(&mut self, key: &str, otherwise: f64) -> Result<i64, String> {
        let value: f64 = self.number(key, otherwise)?;
        match (0.0..1e9).contains(&value) {
            true => Ok((value * 1e9).round() as i64),
            false => Err(format!("{}={}: seconds from 0", key, value)),
        }
    }

    pub fn hex(&mut self, key: &str, otherwise: u16) -> Result<u16, String> {
        match self.0.remove(key) {
            None => Ok(otherwise),
            Some(text) => u16::from_str_radix(text.trim_start_matches("0x"), 16)
                .map_err(|_| format!("{}={}: four hexadecimal digits", key, text)),
        }
    }

    pub fn end(&self) -> Result<(), String> {
        match self.0.keys().min() {
            None => Ok(()),
            Some(key) => Err(format!("`{}`: no such key here", key)),
        }
    }
}
