import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

/** Below this, compressing saves no packet. */
const worthwhile = 1024

/** 5 % smaller than at 9, in two seconds more for everything; 11 would take four for another 1.5 %. */
const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } }

/** Puts a `.br` and a `.gz` beside every file that gains by it, so that no request pays for compression. */
export const compressFiles = (folder: string): void => {
  for (const file of globSync('**/*.{js,css,svg,json}', { cwd: folder })) {
    const path = join(folder, file)
    const content = readFileSync(path)
    if (content.length < worthwhile) continue
    writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }))
    writeFileSync(`${path}.br`, brotliCompressSync(content, brotli))
  }
}
