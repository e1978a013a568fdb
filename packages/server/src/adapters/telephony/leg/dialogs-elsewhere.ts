import type { Replaces } from '@offhook/sip/grammar/headers.ts'

/** A SIP dialog as the process sees it that has it. */
export type DialogName = Pick<Replaces, 'callId' | 'toTag' | 'fromTag'>

/** Dialogs of the other processes, to which phones refer as if there were only one. */
export interface RemoteDialogs {
  /** Where calls can be sent to the process that has it: `sip:10.0.0.11:5060`. */
  whoHas(dialog: DialogName): Promise<string | undefined>
  /** Its call goes on in this process. False when it cannot. */
  bring(dialog: DialogName): Promise<boolean>
}
