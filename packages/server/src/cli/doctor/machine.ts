import { readdir, stat, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { modelSizes, sizesInWords } from '#adapters/speech/models/model-sizes.ts'
import { missingPackages, modelsFolder, partsFor } from '#adapters/speech/models/models-folder.ts'
import { startCommand } from '#places.ts'
import { missingSpeechRuntime } from '#adapters/speech/speech-runtime.ts'
import { broken, suspect, fine, type Check, type Finding, type DoctorContext } from './finding.ts'

export const checkNode: Check = () => {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const isNew = major > 24 || (major === 24 && minor >= 10)
  const where = `${process.versions.node} on ${process.platform}-${process.arch}`
  if (!isNew) return [broken('Node', where, `Start it with ${startCommand}, which brings its own.`)]
  return [fine('Node', where)]
}

const megabyte = 1e6

export const checkDisk: Check = async ({ settings }) => {
  const folder = await existing(settings.OFFHOOK_DATA)
  const { bavail, bsize } = await statfs(folder)
  const free = Math.floor((bavail * bsize) / megabyte)
  const daily = await dailyMegabytes(settings.OFFHOOK_DATA)
  const days = daily === undefined || daily < 1 ? Infinity : Math.floor(free / daily)
  const trend = days === Infinity ? '' : `; ${Math.round(daily ?? 0)} MB came a day in the last week, so it lasts for ${days} days`
  const says = `${free} MB free for ${settings.OFFHOOK_DATA}${trend}`
  if (free < 200) return [broken('disk', says, 'Make room, or set OFFHOOK_DATA to another disk.')]
  if (days < 14) return [suspect('disk', says, 'Make room, lower OFFHOOK_RECORDINGS_DAYS, or keep files elsewhere (OFFHOOK_FILES).')]
  return free < 2000 ? [suspect('disk', says, 'An hour of recording takes 115 MB.')] : [fine('disk', says)]
}

const weekMs = 7 * 86_400_000
const maxFiles = 50_000

/** By the files that were written in the last week; undefined where they are too many to look at. */
const dailyMegabytes = async (folder: string): Promise<number | undefined> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = entries.filter((entry) => entry.isFile() && !entry.name.startsWith('offhook.db'))
  if (files.length > maxFiles) return undefined
  const since = Date.now() - weekMs
  let bytes = 0
  for (const { parentPath, name } of files) {
    const { mtimeMs, size } = await stat(join(parentPath, name)).catch(() => ({ mtimeMs: 0, size: 0 }))
    if (mtimeMs >= since) bytes += size
  }
  return bytes / 7 / megabyte
}

/** The folder, or the nearest one above it that is there. */
const existing = async (folder: string): Promise<string> => {
  const isThere = await stat(folder).then(
    () => true,
    () => false,
  )
  return isThere || dirname(folder) === folder ? folder : existing(dirname(folder))
}

export const checkModels: Check = async (context) => {
  const { OFFHOOK_SPEECH: way, OFFHOOK_MODELS } = context.settings
  const folder = modelsFolder(OFFHOOK_MODELS)
  if (way !== 'embedded' || folder === undefined) return [speechWithoutModels(context)]
  const unusable = missingSpeechRuntime()
  if (unusable !== undefined) return [speechWithoutModels(context, unusable)]
  const sizes = modelSizes(context.settings)
  const missing = await missingPackages(folder, partsFor(sizes))
  if (missing.length === 0) return [fine('speech', `all models are in ${folder}: ${sizesInWords(sizes)}`)]
  const size = Math.round(missing.reduce((sum, { bytes }) => sum + bytes, 0) / megabyte)
  return [broken('speech', `${missing.length} models (${size} MB) are missing in ${folder}`, 'npx offhook models fetches them.')]
}

const speechWithoutModels = ({ settings }: DoctorContext, unusable?: string): Finding => {
  const {
    OFFHOOK_SPEECH: way,
    OFFHOOK_OPENAI_URL,
    OFFHOOK_OPENAI_KEY,
    OFFHOOK_DEEPGRAM_KEY,
    OFFHOOK_AZURE_KEY,
    OFFHOOK_ELEVENLABS_KEY,
  } = settings
  const has = [OFFHOOK_OPENAI_URL, OFFHOOK_OPENAI_KEY, OFFHOOK_DEEPGRAM_KEY, OFFHOOK_AZURE_KEY, OFFHOOK_ELEVENLABS_KEY].some(Boolean)
  const says = unusable ?? (way === 'embedded' ? 'OFFHOOK_MODELS=off' : `OFFHOOK_SPEECH=${way}`)
  return has
    ? fine('speech', `${says}; providers are set`)
    : suspect('speech', says, 'Assistants hear and speak only with models or a provider.')
}
