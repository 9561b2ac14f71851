package answer

// Brief is an answer in a few words, as the strip above a page has it.
type Brief struct {
	Question string `json:"question"`
	Mood     Mood   `json:"mood"`
	Value    string `json:"value"`
	Small    string `json:"small,omitempty"`  // beside the value
	Line     string `json:"line"`             // below the value
	Detail   string `json:"detail,omitempty"` // a whole sentence
}

// Mood says what kind of answer it is.
type Mood string

// The moods.
const (
	Known   Mood = "known"
	Unknown Mood = "unknown" // the recording does not say, or there is nothing to say
	Alarm   Mood = "alarm"
)
