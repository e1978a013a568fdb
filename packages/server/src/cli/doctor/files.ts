import { s3Options } from '#wiring/files/open-files.ts'
import { broken, fine, type Check } from './finding.ts'

/** The file store is reachable, and the key may read, write, list and delete in its bucket. */
export const checkFiles: Check = async ({ settings }) => {
  const options = s3Options(settings)
  if (!options) return [fine('files', `recordings and faxes are in ${settings.OFFHOOK_DATA}`)]
  const { s3Blobs } = await import('#adapters/blobs/s3-blobs.ts')
  const blobs = s3Blobs(options)
  try {
    await blobs.check()
    return [fine('files', `recordings and faxes are in the bucket ${options.bucket} at ${options.url}`)]
  } catch (error) {
    return [broken('files', (error as Error).message, 'Until then they stay on this machine, and other machines cannot give them.')]
  } finally {
    await blobs.close()
  }
}
