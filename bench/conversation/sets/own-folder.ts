import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import { NoRecordings, type Recording } from './recording.ts'
import { readSound } from './sound-file.ts'

const table = 'transcripts.tsv'
const endings = new Set(['.wav', '.ogg'])

/** Parses lines of `file<TAB>what was said[<TAB>language]`; ignores lines without a tab and those that begin with #. */
export const transcriptsIn = (tsv: string): Map<string, { text: string; language: string | undefined }> =>
  new Map(
    tsv
      .split(/\r?\n/)
      .filter((line) => line.includes('\t') && !line.startsWith('#'))
      .map((line) => {
        const [file = '', text = '', language] = line.split('\t').map((field) => field.trim())
        return [file, { text, language: language === '' ? undefined : language }]
      }),
  )

/**
 * User-supplied recordings: WAV (16 bit or G.711, any rate) or Ogg Vorbis, each one turn of a caller, with its words in a text file of the same
 * name or all of them in `transcripts.tsv`. Recordings without words are left out; throws if none is left.
 */
export const readFolder = async (folder: string, language: string): Promise<Recording[]> => {
  if (!existsSync(folder)) throw new NoRecordings(`--set: there is no folder ${folder}`)
  const file = join(folder, table)
  const notified = existsSync(file) ? transcriptsIn(await readFile(file, 'utf8')) : undefined
  const recordings: Recording[] = []
  for (const sound of (await readdir(folder)).filter((one) => endings.has(extname(one))).toSorted()) {
    const name = basename(sound, extname(sound))
    const said = notified?.get(sound) ?? notified?.get(name) ?? (await textBeside(join(folder, `${name}.txt`)))
    if (said) recordings.push({ name, text: said.text, language: said.language ?? language, samples: await soundOf(join(folder, sound)) })
  }
  if (recordings.length === 0) throw new NoRecordings(`--set: ${folder} has no ${wanted}`)
  return recordings
}

const wanted = `recording (.wav or .ogg) whose words stand in a text file of the same name (.txt), or in ${table}: file, tab, words, perhaps tab, language`

const soundOf = (file: string): ReturnType<typeof readSound> =>
  readSound(file).catch((error: unknown) => {
    throw error instanceof NoRecordings ? error : new NoRecordings(`--set: ${file} cannot be read: ${String(error)}`)
  })

const textBeside = async (file: string): Promise<{ text: string; language: undefined } | undefined> =>
  existsSync(file) ? { text: (await readFile(file, 'utf8')).trim(), language: undefined } : undefined
