//! What handlers take from a request, with errors as the API has them.

use axum::body::Bytes;
use axum::extract::{FromRequest, FromRequestParts, Path, Query, Request};
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

use crate::error::ApiError;

/// The parameters of an address.
pub struct Params<T>(pub T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for Params<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let found = Query::<T>::from_request_parts(parts, state).await;
        found.map(|Query(found)| Self(found)).map_err(|error| ApiError::bad_request(error.body_text()))
    }
}

/// The names in an address.
pub struct Names<T>(pub T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for Names<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let found = Path::<T>::from_request_parts(parts, state).await;
        found.map(|Path(found)| Self(found)).map_err(|error| ApiError::not_found(error.body_text()))
    }
}

/// The body of a request.
pub struct Json<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Json<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let bytes = Bytes::from_request(request, state).await;
        let bytes = bytes.map_err(|error| ApiError::bad_request(error.body_text()))?;
        let text: &[u8] = if bytes.is_empty() { b"{}" } else { &bytes };
        let mut reader = serde_json::Deserializer::from_slice(text);
        let found = T::deserialize(&mut reader).and_then(|found| reader.end().map(|()| found));
        found.map(Self).map_err(|error| ApiError::invalid(format!("the body does not fit: {error}")))
    }
}
