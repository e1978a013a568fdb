import { modelOwner } from './protocol.ts'
import { badField, ServiceError } from './service-error.ts'

/** Our names, then those that clients of OpenAI use. The language decides which of our models works. */
const hearing = ['offhook-stt', 'whisper-1', 'gpt-4o-transcribe', 'gpt-4o-mini-transcribe']
const speaking = ['offhook-tts', 'tts-1', 'tts-1-hd', 'gpt-4o-mini-tts']

type ModelKind = 'hearing' | 'speaking'

const names: Readonly<Record<ModelKind, readonly string[]>> = { hearing, speaking }

interface ModelEntry {
  id: string
  object: 'model'
  created: number
  owned_by: string
}

const entry = (id: string): ModelEntry => ({ id, object: 'model', created: 0, owned_by: modelOwner })

export const modelList = (): { object: 'list'; data: ModelEntry[] } => ({
  object: 'list',
  data: [...hearing, ...speaking].map(entry),
})

export const modelNamed = (id: string): ModelEntry => {
  if (![...hearing, ...speaking].includes(id)) throw unknownModel(id)
  return entry(id)
}

/** Throws for a model that does something else. */
export const checkModel = (model: unknown, kind: ModelKind): void => {
  if (typeof model !== 'string' || model === '')
    throw badField('model', `Name a model, such as ${names[kind][0]}.`, 'missing_required_parameter')
  if (!names[kind].includes(model)) throw unknownModel(model)
}

const unknownModel = (id: string): ServiceError =>
  new ServiceError(404, 'model_not_found', `There is no model "${id.slice(0, 60)}" for this. GET /v1/models lists the models.`, {
    param: 'model',
  })
