import type { AssistantSettings, HttpToolSettings, ModelSettings, ShownAssistant } from '@offhook/contract/v3/assistant-values.ts'
import { given } from '../flows/flow-element.ts'
import type { StoredAssistant } from '#core/kernel/ports/store/assistant.ts'
import type { Vault } from '#core/kernel/ports/platform.ts'

type Header = NonNullable<ModelSettings['headers']>[number]
interface Keyed {
  api_key?: string | null
}

/** Transformation applied to each secret of an assistant; `present` is the stored value of the same field. */
interface Treatment {
  key(input: string | null | undefined, present: string | null | undefined): string | undefined
  header(input: Header, present: Header | undefined): Header
}

/** All headers with secret values, by field. */
export const headersOf = ({ model, tools }: AssistantSettings): [field: string, headers: readonly Header[]][] => [
  ['model/headers', model?.headers ?? []],
  ['model/second/headers', model?.second?.headers ?? []],
  ...(tools?.http ?? []).map(({ headers = [] }, at): [string, Header[]] => [`tools/http/${at}/headers`, headers]),
]

/** Seals the secrets for storage. Omitted secrets stay unchanged. */
export const sealSecrets = (vault: Vault, input: AssistantSettings, present: StoredAssistant | undefined): StoredAssistant => {
  // An unchanged secret keeps its ciphertext, so that unchanged settings compare equal.
  const seal = (plain: string, sealed: string | null | undefined): string =>
    typeof sealed === 'string' && vault.open(sealed) === plain ? sealed : vault.seal(plain)
  return treatSecrets(input, present, {
    key: (key, kept) => (key === null ? undefined : key === undefined ? (kept ?? undefined) : seal(key, kept)),
    header: ({ name, value }, kept) => given({ name, value: value === undefined ? kept?.value : seal(value, kept?.value) }),
  })
}

/** Decrypts the secrets for the agent. Throws when they cannot be read. */
export const openSecrets = (vault: Vault, kept: StoredAssistant): AssistantSettings =>
  treatSecrets(kept, undefined, {
    key: (sealed) => (typeof sealed === 'string' ? vault.open(sealed) : undefined),
    header: ({ name, value }) => given({ name, value: value === undefined ? undefined : vault.open(value) }),
  })

/** Masks the secrets for display: only whether they are set. */
export const hideSecrets = (kept: StoredAssistant): ShownAssistant => {
  const { model, knowledge, ...others } = treatSecrets(kept, undefined, { key: () => undefined, header: ({ name }) => ({ name }) })
  const keySet = (holder: Keyed | undefined) => ({ api_key_set: typeof holder?.api_key === 'string' })
  const second = model?.second && { ...model.second, ...keySet(kept.model?.second) }
  const embeddings = knowledge?.embeddings && { ...knowledge.embeddings, ...keySet(kept.knowledge?.embeddings) }
  return {
    ...others,
    ...(model && { model: { ...model, ...keySet(kept.model), ...(second && { second }) } }),
    ...(knowledge && { knowledge: { ...knowledge, ...(embeddings && { embeddings }) } }),
  } as ShownAssistant
}

const treatSecrets = (input: AssistantSettings, present: StoredAssistant | undefined, treatment: Treatment): AssistantSettings => {
  const { model, tools, knowledge } = input
  const keyed = <T extends Keyed>({ api_key, ...rest }: T, kept: Keyed | undefined): Omit<T, 'api_key'> & { api_key?: string } => {
    const key = treatment.key(api_key, kept?.api_key)
    return { ...rest, ...(key !== undefined && { api_key: key }) }
  }
  const headed = <T extends { headers?: Header[] }>(holder: T, kept: { headers?: Header[] } | undefined): T => {
    if (!holder.headers) return holder
    const find = ({ name }: Header): Header | undefined => kept?.headers?.find((one) => one.name.toLowerCase() === name.toLowerCase())
    return { ...holder, headers: holder.headers.map((header) => treatment.header(header, find(header))) }
  }
  const toolBefore = ({ name }: HttpToolSettings) => present?.tools?.http?.find((one) => one.name === name)
  const second = model?.second && keyed(headed(model.second, present?.model?.second), present?.model?.second)
  return {
    ...input,
    ...(model && { model: { ...keyed(headed(model, present?.model), present?.model), ...(second && { second }) } }),
    ...(tools?.http && { tools: { ...tools, http: tools.http.map((tool) => headed(tool, toolBefore(tool))) } }),
    ...(knowledge?.embeddings && {
      knowledge: { ...knowledge, embeddings: keyed(knowledge.embeddings, present?.knowledge?.embeddings) },
    }),
  }
}
