import type { ModelPart } from '#adapters/speech/models/model-list.ts'
import type { Models } from '#adapters/speech/models/models.ts'
import { missingPackages, modelsFolder } from '#adapters/speech/models/models-folder.ts'

export interface EmbeddedModels extends Pick<Models, 'folderWith'> {
  /** Why tests with these parts have to be skipped. */
  skip: string | false
}

/** The models that `npm install` has fetched. In CI they have to be there. */
export const embeddedModels = async (...parts: ModelPart[]): Promise<EmbeddedModels> => {
  const folder = modelsFolder(process.env['OFFHOOK_MODELS']) ?? 'off'
  const missing = (await missingPackages(folder, parts)).map(({ name }) => name).join(', ')
  if (missing !== '' && process.env.CI === 'true') throw new Error(`not in ${folder}: ${missing}`)
  const skip = missing !== '' && `these models are not here: ${missing} (\`offhook models\` fetches them)`
  return { skip, folderWith: () => Promise.resolve(folder) }
}
