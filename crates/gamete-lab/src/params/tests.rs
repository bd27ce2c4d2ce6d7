use super::*;

fn parsed(text: &str) -> ParameterFile {
    ParameterFile::parse(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn error(text: &str) -> String {
    ParameterFile::parse(text).expect_err("a broken file").to_string()
}

fn parameter(kind: Kind, start: f64, range: [f64; 2], step: f64, rate: Option<f64>) -> TunedParameter {
    let name = "Aspiration".to_owned();
    TunedParameter { name, kind, start: Some(start), range, step: Some(step), rate }
}

#[test]
fn one_parameter_is_the_same_in_every_form() {
    let whole = |rate| parameter(Kind::Integer, 20.0, [5.0, 60.0], 3.0, rate);
    let files = [
        ("Aspiration, int, 20, 5, 60, 3, 0.002", ParameterFormat::OpenBench, Some(0.002)),
        ("# a comment\n\nAspiration,20.0,5,60,3.0,0.002\n", ParameterFormat::Fishtest, Some(0.002)),
        ("Aspiration,20,5,60,3,0.002,4.5", ParameterFormat::Fishtest, Some(0.002)),
        (
            r#"{"Aspiration": {"value": 20, "min_value": 5, "max_value": 60, "step": 3}}"#,
            ParameterFormat::WeatherFactory,
            None,
        ),
        (
            r#"{"Aspiration": {"default": 20, "min": 5, "max": 60, "step": 3}}"#,
            ParameterFormat::WeatherFactory,
            None,
        ),
        (
            "Aspiration = { value = 20, min = 5, max = 60, step = 3, rate = 0.002 }",
            ParameterFormat::Toml,
            Some(0.002),
        ),
        ("[Aspiration]\nvalue = 20\nmin = 5\nmax = 60\nstep = 3", ParameterFormat::Toml, None),
    ];
    for (text, format, rate) in files {
        let file = parsed(text);
        assert_eq!((file.format, file.parameters), (format, vec![whole(rate)]), "{text}");
    }
}

#[test]
fn numbers_that_are_not_whole_are_real() {
    for text in [
        "Aspiration, float, 20, 5, 60, 0.3, 0.002",
        "Aspiration,20,5,60.5,0.3,0.002",
        r#"{"Aspiration": {"value": 20, "min_value": 5.5, "max_value": 60, "step": 0.3}}"#,
        "Aspiration = { value = 20.0, min = 5, max = 60, step = 0.3 }",
        "Aspiration = { value = 20, min = 5, max = 60, step = 0.3, type = 'float' }",
    ] {
        assert_eq!(parsed(text).parameters[0].kind, Kind::Real, "{text}");
    }
}

#[test]
fn ranges_of_tuning_tools_have_no_start() {
    let ranges = r#"{"Hash Size": "Integer(1, 64)", "CPuct": "Real(1e-4, 1, prior=log-uniform)"}"#;
    for text in [ranges, &format!("{{\"engines\": [], \"parameter_ranges\": {ranges}}}")] {
        let file = parsed(text);
        assert_eq!(file.format, ParameterFormat::TuningTools);
        let found: Vec<_> =
            file.parameters.iter().map(|one| (one.name.as_str(), one.kind, one.range)).collect();
        assert!(found.contains(&("Hash Size", Kind::Integer, [1.0, 64.0])), "{found:?}");
        assert!(found.contains(&("CPuct", Kind::Real, [1e-4, 1.0])), "{found:?}");
        assert!(file.parameters.iter().all(|one| one.start.is_none()));
        assert_eq!(file.notes, ["CPuct: prior=log-uniform has no effect: ranges are searched evenly"]);
    }
}

#[test]
fn a_switch_begins_where_the_engine_has_it_or_as_the_file_says() {
    for (text, start) in [
        ("OwnBook = [false, true]", None),
        ("OwnBook = { value = true, min = false, max = true }", Some(1.0)),
        ("OwnBook = { value = false, min = false, max = true }", Some(0.0)),
    ] {
        let one = &parsed(text).parameters[0];
        assert_eq!((one.kind, one.start, one.range), (Kind::Flag, start, [0.0, 1.0]), "{text}");
    }
}

#[test]
fn parameters_can_be_kept() {
    let kept = |text: &str| parsed(text).parameters.iter().all(TunedParameter::is_frozen);
    assert!(kept("Hash = 16\nOwnBook = false\nScale = 1.5"));
    assert!(kept("Hash, int, 16, 16, 16, 0, 0"));
    assert!(kept("\u{feff}Hash = 16"), "with a byte order mark");
    assert!(kept(r#"{"Hash": {"value": 16, "min_value": 16, "max_value": 16, "step": 0}}"#));
    assert!(!kept("Hash = [1, 16]"));
}

#[test]
fn broken_lines_are_named_with_their_reason() {
    for (text, words) in [
        ("", "line 1: there is no parameter in it"),
        ("# nothing\n", "line 1: there is no parameter in it"),
        (
            "A, int, 1, 0, 2, 1, 0.002\nB, int, 1, 0, 2, 1\n",
            "line 2: 6 fields instead of seven: name, int|float",
        ),
        (
            "A, int, 1, 0, 2, 1, 0.002\n\nB, real, 1, 0, 2, 1, 0.002",
            "line 3: B: \"real\" is not int or float",
        ),
        (
            "A, integer, 1, 0, 2, 1, 0.002\nB, int, 1, 0, 2, 1, 0.002",
            "line 1: A: \"integer\" is not int or float",
        ),
        (
            "Passed Pawns = [0, 100]",
            "line 1: Passed Pawns: a name with spaces needs quotes: \"Passed Pawns\" = …",
        ),
        ("A,1,0,2,1,0.002\nB,x,0,2,1,0.002", "line 2: value \"x\" is not a number"),
        ("A,1,0", "line 1: 3 fields; OpenBench has seven (name, int|float,"),
        ("A,1,5,2,1,0.002", "line 1: A: min 5 is above max 2"),
        ("A,9,0,2,1,0.002", "line 1: A: value 9 is not from 0 to 2"),
        (
            "A,1,0,2,0,0.002",
            "line 1: A: c_end 0 changes nothing; give a number above 0, or make min and max equal",
        ),
        (
            "A,1,0,2,0.3,0.002",
            "line 1: A: c_end 0.3 rounds to nothing, as the parameter is whole; the smallest that works is 0.5",
        ),
        ("A,1,0,2,1,0", "line 1: A: r_end 0 learns nothing"),
        ("A,1,0,2,1,0.002\n\nA,1,0,2,1,0.002", "line 3: A is given twice, first in line 1"),
        ("{\"A\": \"Integer(0, 2)\",\n\"A\": \"Integer(0, 4)\"}", "line 2: A is given twice"),
        (
            "{\"parameter_ranges\":\n{\"A\": \"Integer(0, 2)\",\n\"A\": \"Integer(0, 4)\"}}",
            "line 3: A is given twice",
        ),
        ("A, int, 1.5, 0, 2, 1, 0.002", "line 1: A: value 1.5 is not whole"),
        ("A,nan,0,2,1,0.002", "line 1: A: value NaN is not a finite number"),
        ("{\n\"A\": {\"value\": 1,\n}", "line 3: not JSON: "),
        ("{\n\"A\": {\"value\": 1, \"min_value\": 0, \"step\": 1}}", "line 2: A: max_value is missing"),
        ("{\n\"A\": {\"value\": 1, \"minimum\": 0}}", "line 2: A: nothing reads \"minimum\""),
        (
            "{\"A\": {\"value\": 1, \"min_value\": 3, \"max_value\": 2}}",
            "line 1: A: min_value 3 is above max_value 2",
        ),
        ("{\"a\": 1.0, \"c\": 1.0}", "line 1: a: 1.0 is no object with value, min_value"),
        ("{\n\"A\": \"(1, 2)\"}", "line 2: A: \"(1, 2)\" is not a range like \"Integer(1, 100)\""),
        ("A = [0, 100]\nB = [3]", "line 2: B: [3]: give [smallest, largest]"),
        ("A = { value = 1, min = 0 }", "line 1: A: missing field `max`"),
        ("A = [0, 100]\nB = = 3", "line 2: "),
        ("A = { value = 1, min = 0, max = 3, step = 0.2 }", "line 1: A: step 0.2 rounds to nothing"),
        ("A = 'x'", "line 1: A: \"x\": give { value = …, min = …, max = … }"),
    ] {
        let error = error(text);
        assert!(error.starts_with(words), "{text:?}: {error}");
    }
}

#[test]
fn values_are_written_in_every_form_and_read_back() {
    let mut parameters = parsed(
        "Aspiration = { value = 20, min = 5, max = 60, step = 3 }\nCPuct = { value = 0.25, min = 0.0, max = 1.0 }\n\
         Hash = 16 # kept\n'Move Overhead' = { value = 3, min = 0, max = 7 }\nOwnBook = { value = true, min = false, max = true }\n",
    )
    .parameters;
    parameters[0].start = Some(23.0);
    let texts = value_texts(&parameters, true);
    let text = |form: &str| texts.iter().find(|text| text.form == form).expect("a form").text.as_str();
    assert_eq!(
        text("UCI"),
        "setoption name Aspiration value 23\nsetoption name CPuct value 0.25\nsetoption name Hash value 16\n\
         setoption name Move Overhead value 3\nsetoption name OwnBook value true\n"
    );
    assert_eq!(
        text("C"),
        "#define Aspiration 23\n#define CPuct 0.25\n#define Hash 16 // kept\n#define Move_Overhead 3\n#define OwnBook 1\n"
    );
    assert_eq!(
        text("OpenBench"),
        "Aspiration, int, 23, 5, 60, 3, 0.002\nCPuct, float, 0.25, 0, 1, 0.05, 0.002\nHash, int, 16, 16, 16, 0.5, 0.002\n\
         Move Overhead, int, 3, 0, 7, 0.5, 0.002\nOwnBook, int, 1, 0, 1, 0.5, 0.002\n"
    );
    assert_eq!(parsed(text("TOML")).parameters, parameters);
    assert_eq!(parsed(text("OpenBench")).parameters.len(), 5);
    assert!(value_texts(&parameters, false).iter().all(|text| text.form != "UCI"));
}
