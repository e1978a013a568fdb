import { stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { cacheFolder } from '#places.ts'
import type { ModelSizes } from './model-sizes.ts'
import { modelPackages, type ModelPackage, type ModelPart } from './model-list.ts'

type Environment = Record<string, string | undefined>

/**
 * Where the models are, or undefined if there shall be none. By default not in the project: `npm ci` would delete them, and a second copy of
 * the project would fetch them again.
 */
export const modelsFolder = (setting: string | undefined, environment: Environment = process.env): string | undefined => {
  if (setting === 'off') return undefined
  if (setting !== undefined && setting !== '') return resolve(setting)
  return join(cacheFolder(environment), 'models')
}

/** What a machine needs from the start. The small English one takes over from the larger one under load; of Whisper one is enough. */
export const partsFor = ({ english, whisper }: ModelSizes): ModelPart[] => [
  'vad',
  'stt-en',
  ...(english === 'base' ? (['stt-en-base'] as const) : []),
  whisper === 'base' ? 'stt-multi' : 'stt-multi-small',
  'tts-en',
  'tts-de',
]

export const missingPackages = (folder: string, parts: readonly ModelPart[]): Promise<ModelPackage[]> =>
  incompletePackages(
    folder,
    modelPackages.filter(({ part }) => parts.includes(part)),
  )

/** Packages of which a file is missing or cut off. Files get their name only when they are whole, so their size is proof enough. */
export const incompletePackages = async (folder: string, packages: readonly ModelPackage[]): Promise<ModelPackage[]> => {
  const isWhole = ({ files }: ModelPackage): Promise<boolean[]> =>
    Promise.all(files.map(({ to, bytes }) => hasSize(join(folder, to), bytes)))
  const whole = await Promise.all(packages.map(isWhole))
  return packages.filter((_, index) => whole[index]?.includes(false))
}

const hasSize = (file: string, bytes: number): Promise<boolean> =>
  stat(file).then(
    ({ size }) => size === bytes,
    () => false,
  )
