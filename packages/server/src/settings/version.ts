import { readFileSync } from 'node:fs'
import { manifest } from '#places.ts'

/** Version of this service, from its package. */
export const version = (): string => {
  const { version: number } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }
  return number
}
