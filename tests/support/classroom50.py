"""What Classroom 50's runner tells an autograder, as its documentation has it."""

ENVIRONMENT = {
    "CLASSROOM": "attention-fall",
    "ASSIGNMENT": "part-1",
    "ASSIGNMENT_TYPE": "individual",
    "OWNER": "ada",
    "USERNAME": "ada",
    "SUBMISSION_TAG": "submit/2026-11-20T11-59-00Z-a1b2c3d",
    "COMMIT_URL": "https://git.test/org/attention-fall-part-1-ada/commit/a1b2c3d",
    "RELEASE_URL": "https://git.test/org/attention-fall-part-1-ada/releases/tag/submit%2F2026-11-20T11-59-00Z-a1b2c3d",
    "REVIEW_URL": "https://git.test/org/attention-fall-part-1-ada/compare/0000000...a1b2c3d",
}
