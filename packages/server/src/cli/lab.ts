import { readFile } from 'node:fs/promises'
import type { LabLabel, LabReport, LabWish } from '@offhook/contract/v2/lab.ts'
import { chooseCall } from './connection/choose-call.ts'
import { connect, inWords, type ConnectionOptions } from './connection/connection.ts'
import { linesOf } from './lab/lines.ts'
import { variantsOf } from './lab/variants.ts'
import { Mistake } from './terminal/mistake.ts'

export interface LabOptions extends ConnectionOptions {
  set?: string[]
  /** A file with labels. */
  turns?: string
  language?: string
  json?: boolean
}

/** What would have been with other settings: in a call of the service, or in a recording of one's own, which no service has to know. */
export const lab = async (what: string, options: LabOptions): Promise<void> => {
  const labels = options.turns === undefined ? undefined : await readLabels(options.turns)
  const input: LabWish = { variants: variantsOf(options.set ?? []), ...(labels && { labels }) }
  const report = /\.wav$/i.test(what) ? await ofFile(what, input, options.language ?? 'en') : await ofCall(what, input, options)
  console.log(options.json === true ? JSON.stringify(report, undefined, 2) : linesOf(report).join('\n'))
}

const ofCall = async (call: string, input: LabWish, options: LabOptions): Promise<LabReport> => {
  const connection = await connect(options)
  try {
    return await connection.api.runLab({ callId: await chooseCall(connection, call) }, input)
  } catch (error) {
    throw inWords(error, connection.baseUrl)
  }
}

const ofFile = async (file: string, input: LabWish, language: string): Promise<LabReport> => {
  const bytes = await readFile(file).catch(() => undefined)
  if (!bytes) throw new Mistake(2, `${file} cannot be read`)
  const { labOfFile } = await import('#wiring/lab/lab-of-file.ts')
  return labOfFile(bytes, input, language)
}

/** `[{ "startMs": 1200, "endMs": 3400 }, …]`. */
const readLabels = async (file: string): Promise<LabLabel[]> => {
  const text = await readFile(file, 'utf8').catch(() => {
    throw new Mistake(2, `${file} cannot be read`)
  })
  try {
    const labels = JSON.parse(text) as LabLabel[]
    if (Array.isArray(labels) && labels.every(({ startMs, endMs }) => startMs >= 0 && endMs >= startMs)) return labels
  } catch {}
  throw new Mistake(2, `${file} has to be a list of { "startMs", "endMs" }, in milliseconds since the recording began`)
}
