import type { SentNotice } from '@offhook/contract/v3/phone.ts'

/** A displayed notification. `tag`: a later one with the same tag replaces it. */
interface Shown {
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
    answered: (who: string) => `${who}: answered`,
    declined: (who: string) => `${who}: declined`,
    withheld: 'Withheld number',
    brand: 'Offhook',
  },
  de: {
    calls: (who: string) => `${who} ruft an`,
    accept: 'Annehmen',
    decline: 'Ablehnen',
    missed: (who: string) => `Verpasster Anruf: ${who}`,
    elsewhere: (who: string) => `${who}: an einem anderen Telefon angenommen`,
    answered: (who: string) => `${who}: angenommen`,
    declined: (who: string) => `${who}: abgelehnt`,
    withheld: 'Unterdrückte Nummer',
    brand: 'Offhook',
  },
} as const

/** Browsers forbid push messages without a notification, so the end of a call replaces its ringing. */
export const shownFor = ({ type, callId, from, language }: SentNotice): Shown => {
  const say = language.startsWith('de') ? words.de : words.en
  const who = [from.name, from.number ?? '', say.withheld].find((name) => name !== '') ?? ''
  const rings = type === 'ring'
  return {
    title: rings ? say.calls(who) : say[type](who),
    body: say.brand,
    tag: callId,
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
