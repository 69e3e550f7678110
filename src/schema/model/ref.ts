/** Who answers: a provider plugin's id and the model id it knows. */
export interface ModelRef {
  readonly provider: string;
  readonly model: string;
}

/** Who answers, and by which server where that is one a person configured: several may have the same model. */
export interface TargetRef extends ModelRef {
  readonly connection?: string;
}

/** As a selection names it: `connection/model` of a person's own connection, else `provider/model`; the head alone while no model is known. */
export const targetName = ({ provider, model, connection }: TargetRef): string => {
  const head = connection ?? provider;
  return model === "" ? head : `${head}/${model}`;
};
