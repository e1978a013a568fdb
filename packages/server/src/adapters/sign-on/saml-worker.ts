import { parentPort, workerData } from 'node:worker_threads'
import { SAML, ValidateInResponseTo } from '@node-saml/node-saml'
import { reportMemory } from '#media/thread/thread.ts'
import type { SamlElement, SamlTask, SamlVerdict } from './saml-thread.ts'

/** Checks one response. A thread of its own: signatures of some documents take seconds, and the thread can be ended. */
const { response, certificates, audience, callbackUrl } = workerData as SamlTask

const verdict = async (): Promise<SamlVerdict> => {
  try {
    const saml = new SAML({
      callbackUrl,
      issuer: audience,
      audience,
      idpCert: [...certificates],
      wantAssertionsSigned: true,
      wantAuthnResponseSigned: false,
      acceptedClockSkewMs: -1, // times are checked with the clock of the service
      validateInResponseTo: ValidateInResponseTo.never, // the browser that asked has the id
    })
    const { profile } = await saml.validatePostResponseAsync({ SAMLResponse: response })
    if (!profile) return { rejected: 'the response has no assertion' }
    const { issuer, nameID, attributes } = profile
    const assertion = profile.getAssertion?.()['Assertion'] as SamlElement | undefined
    if (!assertion) return { rejected: 'the response has no assertion' }
    return structuredClone({ accepted: { issuer, nameId: nameID, attributes: (attributes ?? {}) as Record<string, unknown>, assertion } })
  } catch (error) {
    return { rejected: error instanceof Error ? error.message : 'unknown' }
  }
}

reportMemory()
parentPort?.postMessage(await verdict(), [])
