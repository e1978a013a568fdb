import { authorizer } from '../digest/authorize.ts'
import type { HeaderLines } from '../message/build.ts'
import { Dialog } from '../dialog/dialog.ts'
import type { DigestClient } from '../digest/digest-client.ts'
import { Sending } from '../request/sending.ts'
import type { SessionTrace } from './session.ts'
import type { Stack } from '../request/stack.ts'

export interface ByeOptions {
  headers?: HeaderLines
  /** Answers challenges, but only of the host that the INVITE went to. */
  digest?: DigestClient | undefined
}

/** BYE for a session of a process that is gone. Resolves with the final status; 408 or 503 without a response. */
export const endLost = (stack: Stack, trace: SessionTrace, { headers = [], digest }: ByeOptions = {}): Promise<number> => {
  const dialog = Dialog.ofState(trace)
  const options = {
    hop: dialog.hop,
    flow: trace.flow,
    failover: false,
    authorizer: digest && trace.trusted !== undefined ? authorizer(digest, trace.trusted) : undefined,
    renumber: () => dialog.request('BYE').cseq,
  }
  return new Promise((resolve) => {
    const sending = new Sending(stack, { ...dialog.request('BYE'), headers }, options, {
      response: ({ status }) => {
        if (status >= 200) resolve(status)
      },
      failed: resolve,
    })
    sending.start()
  })
}
