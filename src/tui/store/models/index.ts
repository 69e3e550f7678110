/**
 * store/models: which model answers and how much it thinks, as a person chooses it: commands, their completion, the page of models.
 * Promises: pure; nothing is looked up before somebody asks for it. Must never know: how a selection is resolved. Read first: page.ts, pages.ts.
 */
export { argumentMatches } from "./arguments.js";
export type { KnownModels, ModelDeed, ModelNews, ModelsPage } from "./page.js";
export {
  actOnModels,
  chooseModel,
  chooseThinking,
  chosenModel,
  isCurrent,
  modelNews,
  modelsPage,
  shownModels,
  wantsModels,
} from "./pages.js";
