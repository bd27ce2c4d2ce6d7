//! A client that knows as much of HTTP as the measurements need.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// Nothing takes so long unless it hangs.
const PATIENCE: Duration = Duration::from_secs(30);

/// Somebody who asks, one thing after another on one connection.
pub struct Client {
    address: SocketAddr,
    connection: Option<BufReader<TcpStream>>,
}

/// What is answered.
pub struct Reply {
    pub status: u16,
    pub body: Vec<u8>,
}

impl Client {
    /// One that has asked nothing yet.
    pub fn new(address: SocketAddr) -> Self {
        Self { address, connection: None }
    }

    /// Asks for an address.
    ///
    /// # Errors
    ///
    /// When there is no answer that makes sense.
    pub fn get(&mut self, path: &str) -> io::Result<Reply> {
        self.send("GET", path, "")
    }

    /// Sends JSON to an address.
    ///
    /// # Errors
    ///
    /// When there is no answer that makes sense.
    pub fn post(&mut self, path: &str, body: &str) -> io::Result<Reply> {
        self.send("POST", path, body)
    }

    fn send(&mut self, method: &str, path: &str, body: &str) -> io::Result<Reply> {
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => connect(self.address).map(BufReader::new)?,
        };
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        );
        connection.get_mut().write_all(request.as_bytes())?;
        let (reply, stays) = read_reply(&mut connection)?;
        self.connection = Some(connection).filter(|_| stays);
        Ok(reply)
    }
}

/// A connection that is given up on when nothing comes.
///
/// # Errors
///
/// When there is none.
pub fn connect(address: SocketAddr) -> io::Result<TcpStream> {
    let stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// An answer, and whether the connection stays open.
fn read_reply(connection: &mut BufReader<TcpStream>) -> io::Result<(Reply, bool)> {
    let nonsense = |what: &str| io::Error::new(io::ErrorKind::InvalidData, what.to_owned());
    let mut line = String::new();
    if connection.read_line(&mut line)? == 0 {
        return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the connection was closed"));
    }
    let status = line.split(' ').nth(1).and_then(|word| word.parse().ok());
    let status = status.ok_or_else(|| nonsense("an answer that is not HTTP"))?;
    let (mut length, mut stays) = (None, true);
    loop {
        line.clear();
        connection.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.trim().parse::<usize>().ok(),
            "connection" => stays = !value.trim().eq_ignore_ascii_case("close"),
            _ => {}
        }
    }
    let mut body = vec![0; length.ok_or_else(|| nonsense("an answer without its length"))?];
    connection.read_exact(&mut body)?;
    Ok((Reply { status, body }, stays))
}
