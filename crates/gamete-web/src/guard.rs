//! Who may ask, and what the answers forbid browsers to do.

use std::net::IpAddr;

use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::app::App;
use crate::error::ApiError;
use crate::limits::{BODY_BYTES, BODY_TIME};

/// The secret that changes need.
#[derive(Clone)]
pub struct Token(blake3::Hash);

impl Token {
    /// Of its text.
    pub fn new(text: &str) -> Self {
        Self(blake3::hash(text.as_bytes()))
    }

    /// Whether the headers have it. Hashes are compared, in constant time.
    fn is_in(&self, headers: &HeaderMap) -> bool {
        let given = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        let given = given.and_then(|value| value.split_once(' '));
        given.is_some_and(|(scheme, token)| {
            scheme.eq_ignore_ascii_case("bearer") && self.0 == blake3::hash(token.trim().as_bytes())
        })
    }
}

/// Whether whoever sent these headers may change something.
pub fn may_change(token: Option<&Token>, headers: &HeaderMap) -> bool {
    token.is_none_or(|token| token.is_in(headers))
}

/// Refuses what is not to be answered, and sets the headers of all that is.
pub async fn guard(State(app): State<App>, request: Request, next: Next) -> Response {
    let mut response = match checked(&app, request).await {
        Ok(request) => next.run(request).await,
        Err(error) => error.into_response(),
    };
    let is_page = !response.headers().contains_key(header::CACHE_CONTROL);
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.entry(HeaderName::from_static(name)).or_insert(HeaderValue::from_static(value));
    }
    if is_page {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    response
}

/// No script, style, frame or request but our own.
const HEADERS: [(&str, &str); 6] = [
    (
        "content-security-policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; \
         connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
];

async fn checked(app: &App, request: Request) -> Result<Request, ApiError> {
    let host = host(request.headers())?;
    if !is_ours(host, &app.names) {
        return Err(ApiError::forbidden(format!(
            "{host:?} is no name of this server; use its address, or start it with --name {}",
            bare(host)
        )));
    }
    if matches!(*request.method(), Method::GET | Method::HEAD) {
        return Ok(request);
    }
    let headers = request.headers();
    if is_foreign(headers, host) {
        return Err(ApiError::forbidden(
            "changes are taken from this server's own page, not from other sites",
        ));
    }
    if !may_change(app.token.as_ref(), headers) {
        return Err(ApiError::token(
            "this server takes changes only with its token: Authorization: Bearer TOKEN",
        ));
    }
    let is_json = |value: &HeaderValue| {
        value.to_str().is_ok_and(|text| {
            text.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"))
        })
    };
    if *request.method() == Method::POST && !headers.get(header::CONTENT_TYPE).is_some_and(is_json) {
        return Err(ApiError::media_type());
    }
    let too_large = || ApiError::too_large(format!("the body is larger than {BODY_BYTES} bytes"));
    let length =
        headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    if length.is_some_and(|length| length > BODY_BYTES as u64) {
        return Err(too_large());
    }
    let (parts, body) = request.into_parts();
    let body = tokio::time::timeout(BODY_TIME, to_bytes(body, BODY_BYTES)).await;
    let body = body.map_err(|_| ApiError::bad_request("the body takes too long to arrive"))?;
    Ok(Request::from_parts(parts, Body::from(body.map_err(|_| too_large())?)))
}

fn host(headers: &HeaderMap) -> Result<&str, ApiError> {
    let mut hosts = headers.get_all(header::HOST).iter();
    match (hosts.next().and_then(|host| host.to_str().ok()), hosts.next()) {
        (Some(host), None) => Ok(host),
        _ => Err(ApiError::bad_request("a request needs one Host header")),
    }
}

/// A host without its port.
fn bare(host: &str) -> &str {
    match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.rsplit_once(':').map_or(host, |(name, _)| name),
    }
}

/// Whether a host is an address, or a name that can only mean this server: other names could be made to point here by whoever owns them.
fn is_ours(host: &str, names: &[String]) -> bool {
    let name = bare(host);
    name.parse::<IpAddr>().is_ok()
        || name.eq_ignore_ascii_case("localhost")
        || names.iter().any(|own| own.eq_ignore_ascii_case(name))
}

/// Whether a browser says that another site has sent this.
fn is_foreign(headers: &HeaderMap, host: &str) -> bool {
    let text = |name: HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    let is_own = |origin: &str| {
        let rest = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        rest.is_some_and(|rest| rest.eq_ignore_ascii_case(host))
    };
    let foreign_origin = text(header::ORIGIN).is_some_and(|origin| !is_own(origin));
    let foreign_site = text(HeaderName::from_static("sec-fetch-site"))
        .is_some_and(|site| !["same-origin", "none"].contains(&site));
    foreign_origin || foreign_site
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_and_own_names_are_hosts() {
        let names = ["lab.example.org".to_owned()];
        for host in [
            "127.0.0.1:7878",
            "localhost",
            "LOCALHOST:80",
            "[::1]:7878",
            "192.168.1.5:7878",
            "lab.example.org:443",
        ] {
            assert!(is_ours(host, &names), "{host}");
        }
        for host in
            ["evil.example.org:7878", "127.0.0.1.evil.example.org", "", "localhost.evil.org", "[evil]:1"]
        {
            assert!(!is_ours(host, &names), "{host}");
        }
    }

    #[test]
    fn other_sites_are_known_by_their_origin() {
        let headers = |name: &'static str, value: &'static str| {
            HeaderMap::from_iter([(HeaderName::from_static(name), HeaderValue::from_static(value))])
        };
        let host = "127.0.0.1:7878";
        assert!(!is_foreign(&HeaderMap::new(), host), "a program that is no browser");
        assert!(!is_foreign(&headers("origin", "http://127.0.0.1:7878"), host));
        for origin in ["http://evil.org", "null", "http://127.0.0.1:7879", "file://127.0.0.1:7878"] {
            assert!(is_foreign(&headers("origin", origin), host), "{origin}");
        }
        assert!(is_foreign(&headers("sec-fetch-site", "cross-site"), host));
        assert!(is_foreign(&headers("sec-fetch-site", "same-site"), host));
        assert!(!is_foreign(&headers("sec-fetch-site", "same-origin"), host));
    }
}
