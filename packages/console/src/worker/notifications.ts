import type { PhonePush } from '@offhook/contract/v3/phone.ts'

/** What the browser shows. `tag`: a later one with the same takes its place. */
export interface Shown {
  title: string
  body: string
  tag: string
  actions: { action: 'accept' | 'decline'; title: string }[]
  requireInteraction: boolean
  silent: boolean
}

const words = {
  en: {
    calls: (who: string) => `${who} is calling`,
    accept: 'Accept',
    decline: 'Decline',
    missed: (who: string) => `Missed call: ${who}`,
    elsewhere: (who: string) => `${who}: answered on another phone`,
    brand: 'Offhook',
  },
  de: {
    calls: (who: string) => `${who} ruft an`,
    accept: 'Annehmen',
    decline: 'Ablehnen',
    missed: (who: string) => `Verpasster Anruf: ${who}`,
    elsewhere: (who: string) => `${who}: an einem anderen Telefon angenommen`,
    brand: 'Offhook',
  },
} as const

/** Browsers forbid pushes that show nothing, so the end of a call is shown in place of its ringing. */
export const shownFor = (push: PhonePush): Shown => {
  const say = push.language.startsWith('de') ? words.de : words.en
  const rings = push.type === 'ring'
  return {
    title: rings ? say.calls(push.name) : say[push.outcome](push.name),
    body: say.brand,
    tag: push.callId,
    actions: rings
      ? [
          { action: 'accept', title: say.accept },
          { action: 'decline', title: say.decline },
        ]
      : [],
    requireInteraction: rings,
    silent: !rings,
  }
}
