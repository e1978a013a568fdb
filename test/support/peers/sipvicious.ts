import { temporaryFolder, type Scope } from '../machine/temporary-folder.ts'
import { startPeer } from '../machine/peer-process.ts'
import { within } from '../machine/within.ts'

const limitMs = 120_000

/** Findings of a scanner. */
export const scan = async (t: Scope, tool: 'svmap' | 'svwar' | 'svcrack', args: readonly string[]): Promise<string> => {
  const scanner = startPeer(t, tool, args, await temporaryFolder(t))
  await within(limitMs, tool, scanner.ended)
  return scanner.output()
}
