import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import { SignedLinks, type SignedLinksDeps } from '#core/account/identity/tokens/signed-links.ts'
import type { Store, Tables } from '#core/kernel/ports/store/index.ts'
import { maySee, type Viewer } from '#core/account/history/own-extensions.ts'
import type { StoredRecording } from '#core/kernel/ports/store/recording.ts'
import { publishing } from './erase-recordings.ts'
import type { RecordingFile } from '#core/kernel/ports/audio.ts'

const folder = '/v2/recordings/'

/** Signed download addresses of recordings, per user. */
export class RecordingLinks {
  readonly #store: Store
  readonly #links: SignedLinks

  constructor(deps: SignedLinksDeps) {
    this.#store = deps.store
    this.#links = new SignedLinks(deps, 'recording links', 'recording_link_invalid')
  }

  make(accountId: string, userId: string, recordingId: string): string {
    return this.#links.make({ accountId, userId }, folder + recordingId)
  }

  /** User the address was issued to, if still allowed to hear the recording. A missing recording is detected later. */
  identify(address: string): Promise<UserCaller> {
    return this.#links.identify(address, async (listener, path) => {
      const recording = await this.#store.read.recordings.find(listener.accountId, path.slice(folder.length))
      return !recording || mayHear(this.#store.read, listener, recording)
    })
  }
}

/** Users who may read the entry may play its recordings; administrators may for the whole account. */
export const mayHear = async (
  tables: Tables,
  listener: Viewer,
  recording: StoredRecording,
  permission?: 'CAN_CHANGE_HISTORY',
): Promise<boolean> => {
  if (listener.admin) return true
  const entry = publishing(await tables.history.listBySession(listener.accountId, recording.callId), recording.id)
  return entry !== undefined && maySee(tables, listener, entry.id, permission)
}

/** Undefined also when the listener has no access. */
export const findRecording = async (
  tables: Tables,
  listener: Viewer,
  id: string,
  permission?: 'CAN_CHANGE_HISTORY',
): Promise<StoredRecording | undefined> => {
  const recording = await tables.recordings.find(listener.accountId, id)
  if (!recording || recording.partOf !== undefined) return undefined
  return (await mayHear(tables, listener, recording, permission)) ? recording : undefined
}

/** Prevents path traversal. */
const safe = /^[\w-]{1,64}$/

export const isSafeName = (name: string): boolean => safe.test(name)

/** Path of a recording in the recordings folder. */
export const fileNameOf = ({ accountId, id }: RecordingFile): string => {
  if (!isSafeName(accountId) || !isSafeName(id)) throw new Error('a recording has an odd name')
  return `${accountId}/${id}.wav`
}
