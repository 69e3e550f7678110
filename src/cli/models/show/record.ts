import { redactUrl } from "../../../base/index.js";
import type { Shown, ShownTarget } from "./types.js";

/** Without what nobody should see of it, and as it was written otherwise. */
export const shownUrl = (url: string): string => redactUrl(url).replace(/\/$/u, "");

/** For programs: one record, keys by name alone. */
export const recordOf = ({ selection, why, targets, notes }: Shown): object => ({
  ...(selection === undefined ? {} : { selection }),
  ...(why === undefined ? {} : { why }),
  targets: targets.map(targetRecord),
  notes,
});

function targetRecord({ target, entry, facts }: ShownTarget): object {
  return {
    ...(target === undefined ? {} : placeRecord(target)),
    ...(entry === undefined ? {} : entryRecord(entry)),
    ...(facts === undefined ? {} : { facts }),
  };
}

function placeRecord({ ref, endpoint, routing, thinking, needsModel, bucket }: NonNullable<ShownTarget["target"]>): object {
  const { connection, credential, via } = routing;
  return {
    provider: ref.provider,
    ...(needsModel ? {} : { model: ref.model }),
    connection,
    ...(endpoint.baseUrl === "" ? {} : { baseUrl: shownUrl(endpoint.baseUrl) }),
    ...(credential === undefined ? {} : { credential }),
    ...(endpoint.headers === undefined ? {} : { headers: Object.keys(endpoint.headers) }),
    ...(thinking === undefined ? {} : { thinking }),
    ...(via === undefined ? {} : { via }),
    bucket,
  };
}

function entryRecord({ ref, title, released, also, known, listedBy }: NonNullable<ShownTarget["entry"]>): object {
  return {
    ...ref,
    ...(title === undefined ? {} : { title }),
    ...(released === undefined ? {} : { released }),
    ...(also === undefined ? {} : { also }),
    known,
    ...(listedBy === undefined ? {} : { listedBy }),
  };
}
