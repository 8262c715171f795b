//! Values of Python as JSON and back.

use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use serde::de::DeserializeOwned;
use serde_json::{Map, Number, Value};
use toolcrib::{Conventions, ToolResult};

/// As deep as JSON that is read from text may be.
const DEEPEST: usize = 128;

/// A value of Python as JSON. Paths are text too.
///
/// # Errors
///
/// `ValueError`, if it has something in it that JSON has not.
pub(crate) fn to_json(value: &Bound<'_, PyAny>) -> PyResult<Value> {
    json_at(value, 0)
}

fn json_at(value: &Bound<'_, PyAny>, depth: usize) -> PyResult<Value> {
    if depth > DEEPEST {
        return Err(PyValueError::new_err(format!("it is nested more than {DEEPEST} levels deep")));
    }
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(Value::String(unicode(text)?));
    }
    if value.is_none() {
        return Ok(Value::Null);
    }
    if let Ok(flag) = value.cast::<PyBool>() {
        return Ok(Value::Bool(flag.is_true()));
    }
    if value.is_instance_of::<PyInt>() {
        return whole(value);
    }
    if let Ok(number) = value.cast::<PyFloat>() {
        let number = Number::from_f64(number.value());
        return number.map(Value::Number).ok_or_else(|| PyValueError::new_err("a number is not finite"));
    }
    if let Ok(fields) = value.cast::<PyDict>() {
        let mut map = Map::with_capacity(fields.len());
        for (key, value) in fields {
            let key = key.cast::<PyString>().map_err(|_| PyValueError::new_err("a key is not a text"))?;
            map.insert(unicode(key)?, json_at(&value, depth + 1)?);
        }
        return Ok(Value::Object(map));
    }
    if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        let items = value.try_iter()?.map(|item| json_at(&item?, depth + 1));
        return Ok(Value::Array(items.collect::<PyResult<_>>()?));
    }
    let py = value.py();
    if value.hasattr(intern!(py, "__fspath__"))? {
        let path = value.call_method0(intern!(py, "__fspath__"))?;
        let text = path.cast::<PyString>().map_err(|_| PyValueError::new_err("a path is in bytes"))?;
        return Ok(Value::String(unicode(text)?));
    }
    Err(PyValueError::new_err(format!(
        "a value is of the type {}, which JSON has not",
        value.get_type().name()?
    )))
}

fn unicode(text: &Bound<'_, PyString>) -> PyResult<String> {
    let whole = text.to_cow().map_err(|_| {
        PyValueError::new_err("a text has half of a surrogate pair in it, which is no character")
    })?;
    Ok(whole.into_owned())
}

fn whole(value: &Bound<'_, PyAny>) -> PyResult<Value> {
    if let Ok(number) = value.extract::<i64>() {
        return Ok(number.into());
    }
    value
        .extract::<u64>()
        .map(Value::from)
        .map_err(|_| PyValueError::new_err("a whole number has more than 64 bits"))
}

/// One of the values that have a name in JSON.
pub(crate) fn parsed<T: DeserializeOwned>(name: &Value) -> PyResult<T> {
    serde_json::from_value(name.clone()).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// JSON as a value of Python.
pub(crate) fn to_python<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::Null => py.None().into_bound(py),
        Value::Bool(flag) => PyBool::new(py, *flag).to_owned().into_any(),
        Value::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(number), _) => number.into_pyobject(py)?.into_any(),
            (None, Some(number)) => number.into_pyobject(py)?.into_any(),
            (None, None) => PyFloat::new(py, number.as_f64().unwrap_or(f64::NAN)).into_any(),
        },
        Value::String(text) => PyString::new(py, text).into_any(),
        Value::Array(items) => {
            let list = PyList::empty(py);
            for item in items {
                list.append(to_python(py, item)?)?;
            }
            list.into_any()
        }
        Value::Object(fields) => object(py, fields)?.into_any(),
    })
}

fn object<'py>(py: Python<'py>, fields: &Map<String, Value>) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (key, value) in fields {
        dict.set_item(PyString::intern(py, key), to_python(py, value)?)?;
    }
    Ok(dict)
}

/// The five fields of a result, in their order.
pub(crate) type Fields<'py> = (bool, Bound<'py, PyAny>, Option<String>, Option<f64>, Bound<'py, PyDict>);

pub(crate) fn fields(py: Python<'_>, result: ToolResult) -> PyResult<Fields<'_>> {
    let ToolResult { success, output, error, duration_ms, metadata } = result;
    Ok((success, to_python(py, &output)?, error, duration_ms, object(py, &metadata)?))
}

/// A result of its five fields.
pub(crate) fn result(fields: &Fields<'_>) -> PyResult<ToolResult> {
    let (success, output, error, duration_ms, metadata) = fields;
    let metadata = match to_json(metadata)? {
        Value::Object(metadata) => metadata,
        _ => Map::new(),
    };
    Ok(ToolResult {
        success: *success,
        output: to_json(output)?,
        error: error.clone(),
        duration_ms: *duration_ms,
        metadata,
    })
}

/// The answer as one text, for a model or a person to read.
#[pyfunction]
#[pyo3(name = "display")]
pub(crate) fn display(answer: Fields<'_>, plain_errors: bool) -> PyResult<String> {
    let conventions = Conventions { plain_errors, ..Conventions::NONE };
    Ok(result(&answer)?.display(&conventions))
}

/// An image's MIME type, and its bytes in base64.
type TypeAndData = (String, String);

/// The images of an answer, and its metadata without them.
#[pyfunction]
#[pyo3(name = "take_images")]
pub(crate) fn take_images<'py>(
    py: Python<'py>,
    answer: Fields<'py>,
) -> PyResult<(Vec<TypeAndData>, Bound<'py, PyDict>)> {
    let mut answer = result(&answer)?;
    let images = answer.take_images().into_iter().map(|image| (image.mime_type, image.base64_data));
    let images = images.collect();
    Ok((images, object(py, &answer.metadata)?))
}
