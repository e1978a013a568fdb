import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { commandsIn } from '../guides/shell.ts'
import { ourRoot } from '../machine/program.ts'

/** Block of commands. */
export interface GuideStep {
  /** Machines to type it at, one after the other; none: where the reader administers from. */
  addresses: readonly string[]
  commands: readonly string[]
}

export interface MachinesGuide {
  steps: readonly GuideStep[]
  /** Files of `certs` that each machine gets. */
  files: ReadonlyMap<string, readonly string[]>
  /** Line that a machine starts with where commands are the same at several. */
  firstLines: ReadonlyMap<string, string>
}

const anAddress = /10\.0\.0\.\d+/g

export const readMachinesGuide = async (name: string): Promise<MachinesGuide> => {
  const text = await readFile(join(ourRoot, 'docs/guides', name), 'utf8')
  const rows = [...text.matchAll(/^\| (`10\.0\.0\.\d+`[^|]*) \| ([^|]+) \|$/gm)].flatMap(([, machines = '', cell = '']) => {
    const values = [...cell.matchAll(/`([^`]+)`/g)].map(([, value]) => value ?? '')
    return (machines.match(anAddress) ?? []).map((address) => ({ address, values }))
  })
  const isFirstLine = ({ values: [value = ''] }: (typeof rows)[number]): boolean => value.startsWith('name=')
  return {
    steps: stepsOf(text),
    files: new Map(rows.filter((row) => !isFirstLine(row)).map(({ address, values }) => [address, values])),
    firstLines: new Map(rows.filter(isFirstLine).map(({ address, values: [value = ''] }) => [address, value])),
  }
}

/** The last "on 10.0.0.x" before a block names its machines. */
const stepsOf = (text: string): GuideStep[] => {
  const blocks = [...text.matchAll(/^```sh\n(.*?)^```$/gms)]
  return blocks.map(({ 1: block = '', index }) => {
    const where = [...text.slice(0, index).matchAll(/\b[Oo]n (10\.0\.0\.\d+(?:(?:, | and )10\.0\.0\.\d+)*)/g)].at(-1)?.[1] ?? ''
    return { addresses: where.match(anAddress) ?? [], commands: commandsIn(block) }
  })
}
