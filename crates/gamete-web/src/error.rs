//! What is answered when something cannot be done: the status is decided here and nowhere else.

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use gamete_lab::{BredError, ExperimentError, LabError, RunError, StoreError, ViewError};
use serde::Serialize;

/// Why a request was refused.
#[derive(Debug, Clone)]
pub struct ApiError {
    status: StatusCode,
    code: &'static str,
    message: String,
    key: Option<String>,
}

#[derive(Serialize)]
struct Body<'a> {
    error: Inner<'a>,
}

#[derive(Serialize)]
struct Inner<'a> {
    status: u16,
    code: &'a str,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<&'a str>,
}

impl ApiError {
    #[expect(clippy::needless_pass_by_value, reason = "callers have texts and errors of their own")]
    fn new(status: StatusCode, code: &'static str, message: impl ToString) -> Self {
        Self { status, code, message: message.to_string(), key: None }
    }

    /// The request itself makes no sense.
    pub fn bad_request(message: impl ToString) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "bad-request", message)
    }

    /// A token is missing, or another one is needed.
    pub fn token(message: impl ToString) -> Self {
        Self::new(StatusCode::UNAUTHORIZED, "token", message)
    }

    /// It comes from where nothing is answered.
    pub fn forbidden(message: impl ToString) -> Self {
        Self::new(StatusCode::FORBIDDEN, "forbidden", message)
    }

    /// There is no such thing.
    pub fn not_found(message: impl ToString) -> Self {
        Self::new(StatusCode::NOT_FOUND, "not-found", message)
    }

    /// It is there, but does something else.
    pub fn method() -> Self {
        Self::new(
            StatusCode::METHOD_NOT_ALLOWED,
            "method",
            "this address takes another method; see /api/openapi.json",
        )
    }

    /// It cannot be done now.
    pub fn conflict(message: impl ToString) -> Self {
        Self::new(StatusCode::CONFLICT, "conflict", message)
    }

    /// The body is larger than any that makes sense.
    pub fn too_large(message: impl ToString) -> Self {
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "too-large", message)
    }

    /// The body is not JSON.
    pub fn media_type() -> Self {
        let message = "the body must be JSON, with Content-Type: application/json";
        Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "media-type", message)
    }

    /// What is asked for makes no sense.
    pub fn invalid(message: impl ToString) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, "invalid", message)
    }

    /// There is too much of it.
    pub fn limit(message: impl ToString) -> Self {
        Self::new(StatusCode::TOO_MANY_REQUESTS, "limit", message)
    }

    /// The lab cannot be used.
    pub fn unavailable(message: impl ToString) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "unavailable", message)
    }

    /// The same about a key of a form.
    #[must_use]
    pub fn about(mut self, key: &str) -> Self {
        self.key = Some(key.to_owned()).filter(|key| !key.is_empty());
        self
    }

    /// The same where a form names what there is not: the address that was asked for is there.
    #[must_use]
    pub fn of_form(self) -> Self {
        if self.status == StatusCode::NOT_FOUND { Self::invalid(self.message) } else { self }
    }

    /// As it is answered.
    pub fn text(&self) -> String {
        serde_json::to_string(self).expect("plain data")
    }

    /// Whether what was asked for makes no sense.
    pub fn is_invalid(&self) -> bool {
        self.status == StatusCode::UNPROCESSABLE_ENTITY
    }

    /// What is wrong, in a sentence.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl Serialize for ApiError {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { status, code, message, key } = self;
        let error = Inner { status: status.as_u16(), code, message, key: key.as_deref() };
        Body { error }.serialize(serializer)
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let content_type = [(header::CONTENT_TYPE, "application/json")];
        let mut response = (self.status, content_type, self.text()).into_response();
        if self.status == StatusCode::UNAUTHORIZED {
            response
                .headers_mut()
                .insert(header::WWW_AUTHENTICATE, header::HeaderValue::from_static("Bearer"));
        }
        response
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Unknown { .. } => Self::not_found(error),
            StoreError::Busy { .. } | StoreError::Stage { .. } => Self::conflict(error),
            _ => Self::unavailable(error),
        }
    }
}

impl From<ViewError> for ApiError {
    fn from(error: ViewError) -> Self {
        match error {
            ViewError::Store(error) => error.into(),
            ViewError::Pipeline { .. } => Self::invalid(error),
            _ => Self::unavailable(error),
        }
    }
}

impl From<BredError> for ApiError {
    fn from(error: BredError) -> Self {
        match error {
            BredError::Store(error) => error.into(),
            BredError::Damaged(_) => Self::unavailable(error),
            BredError::NoStage { .. }
            | BredError::NoRun { .. }
            | BredError::NoIndividual { .. }
            | BredError::NoGeneration { .. } => Self::not_found(error),
            _ => Self::invalid(error),
        }
    }
}

impl From<ExperimentError> for ApiError {
    fn from(error: ExperimentError) -> Self {
        let key = error.key().to_owned();
        Self::invalid(error).about(&key)
    }
}

impl From<RunError> for ApiError {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Store(error) => error.into(),
            RunError::Lab(LabError::Store(error)) => Self::unavailable(error),
            RunError::Changed { .. } | RunError::Unfinished { .. } => Self::conflict(error),
            _ => Self::invalid(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lab_that_cannot_be_used_is_no_fault_of_a_form() {
        let locked = || StoreError::Locked { path: "lab.sqlite".to_owned() };
        for error in
            [RunError::Store(locked()), RunError::Lab(LabError::Store(std::sync::Arc::new(locked())))]
        {
            assert_eq!(ApiError::from(error).of_form().status, StatusCode::SERVICE_UNAVAILABLE);
        }
        assert!(ApiError::not_found("no experiment").of_form().is_invalid());
    }
}
