//! The page, as it was built.

use axum::http::{StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use rust_embed::RustEmbed;

use crate::error::ApiError;

#[derive(RustEmbed)]
#[folder = "dist/"]
struct Page;

/// Files whose names change with their content.
const HASHED: &str = "assets/";

/// A file of the page; addresses that are none are pages of it, which draws itself by its address.
pub async fn asset(uri: Uri) -> Response {
    let path = uri.path().trim_start_matches('/');
    if path == "api" || path.starts_with("api/") {
        return ApiError::not_found("there is no such address; see /api/openapi.json").into_response();
    }
    let is_page = !path.contains('.') || path.contains('/') && !path.starts_with(HASHED);
    let name = match Page::get(path) {
        Some(_) if !path.is_empty() => path,
        _ if is_page => "index.html",
        _ => return ApiError::not_found("there is no such file").into_response(),
    };
    let Some(file) = Page::get(name) else {
        return (StatusCode::NOT_FOUND, "the page was not built: see web/ in the sources").into_response();
    };
    let caching = if name.starts_with(HASHED) { "public, max-age=31536000, immutable" } else { "no-cache" };
    ([(header::CONTENT_TYPE, media_type(name)), (header::CACHE_CONTROL, caching)], file.data).into_response()
}

fn media_type(name: &str) -> &'static str {
    match name.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "json" | "webmanifest" => "application/json",
        "woff2" => "font/woff2",
        _ => "text/plain; charset=utf-8",
    }
}
