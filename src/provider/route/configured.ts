import type { ConnectionSetting, CredentialSource } from "../../schema/index.js";
import type { ConnectionOffer, ProviderOffer } from "../offer.js";

/** Of a provider without connections of its own. */
const NOTHING: ConnectionOffer = { name: "", rank: Number.MAX_SAFE_INTEGER, credentialEnvs: [], needs: "nothing" };

/** A configured connection takes from the provider's own one it is most like what it leaves open. */
export function configuredFrom(setting: ConnectionSetting, provider: ProviderOffer): ConnectionOffer {
  const { like, isNamed } = likeOf(setting, provider);
  const { name, baseUrl, credential, headers, bucket } = setting;
  const isElsewhere = baseUrl !== undefined && originOf(baseUrl) !== originOf(like.defaultUrl);
  // The key of some other server is not for one that only happens to speak the same language.
  const isStranger = isElsewhere && !isNamed && like.needs !== "credential";
  const defaultModel = setting.defaultModel ?? (isElsewhere ? undefined : like.defaultModel);
  return {
    name,
    rank: like.rank,
    credentialEnvs: isStranger ? [] : like.credentialEnvs,
    needs: needsOf(credential, baseUrl, like),
    ...placeOf(baseUrl, like),
    ...defined({ profile: setting.profile ?? like.profile, defaultModel, credential, headers, bucket }),
    isConfigured: true,
  };
}

const placeOf = (baseUrl: string | undefined, like: ConnectionOffer): Pick<ConnectionOffer, "baseUrlEnv" | "defaultUrl"> =>
  baseUrl === undefined ? defined({ baseUrlEnv: like.baseUrlEnv, defaultUrl: like.defaultUrl }) : { defaultUrl: baseUrl };

type Defined<T> = { readonly [Key in keyof T]?: Exclude<T[Key], undefined> };

/** The fields that have a value; the type says no more than that. */
const defined = <T extends object>(fields: T): Defined<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;

interface Likeness {
  readonly like: ConnectionOffer;
  /** The setting names it, or its profile. */
  readonly isNamed: boolean;
}

function likeOf({ name, profile, baseUrl }: ConnectionSetting, { connections }: ProviderOffer): Likeness {
  const ranked = [...connections].sort((left, right) => left.rank - right.rank);
  const first = (fits: (one: ConnectionOffer) => boolean): ConnectionOffer | undefined => ranked.find(fits);
  const named = first((one) => one.name === name) ?? (profile === undefined ? undefined : first((one) => one.profile === profile));
  if (named !== undefined) return { like: named, isNamed: true };
  if (baseUrl === undefined) return { like: first((one) => one.needs === "credential") ?? ranked[0] ?? NOTHING, isNamed: false };
  const origin = originOf(baseUrl);
  const near = first((one) => origin !== undefined && originOf(one.defaultUrl) === origin) ?? first((one) => one.needs === "base-url");
  return { like: near ?? ranked[0] ?? NOTHING, isNamed: false };
}

function needsOf(credential: CredentialSource | undefined, baseUrl: string | undefined, like: ConnectionOffer): ConnectionOffer["needs"] {
  if (credential !== undefined && credential.type !== "none") return "credential";
  // Without a key, a server somebody gave the address of is all there is to it.
  if (baseUrl !== undefined && (credential !== undefined || like.needs !== "credential")) return "base-url";
  return credential === undefined ? like.needs : "base-url";
}

/** Of two with one name the later one. */
export function newestOf<Setting extends { readonly name: string }>(settings: readonly Setting[]): readonly Setting[] {
  return [...new Map(settings.map((setting) => [setting.name, setting])).values()];
}

export const originOf = (url: string | undefined): string | undefined =>
  url !== undefined && URL.canParse(url) ? new URL(url).origin : undefined;
