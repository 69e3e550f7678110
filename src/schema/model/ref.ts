/** Who answers: a provider plugin's id and the model id it knows. */
export interface ModelRef {
  readonly provider: string;
  readonly model: string;
}
