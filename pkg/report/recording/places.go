package recording

// Space says where a device's payloads have the places of its allocations.
type Space struct {
	Payload   string `json:"payload"`
	Addresses string `json:"addresses"` // id of the payload with the addresses of the lanes
	Unit      int64  `json:"unit"`      // bytes that places and sizes count
}

// PredictedSpace says which payload has the places of a prediction.
type PredictedSpace struct {
	Payload string `json:"payload"`
	Unit    int64  `json:"unit"` // bytes that places and sizes count
}
