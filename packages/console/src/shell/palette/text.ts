import { words } from '#words/languages.ts'

export const text = words({
  en: {
    title: 'Search and open',
    placeholder: 'A page, a name, a number …',
    call: (who: string) => `Call ${who}`,
    accept: (who: string) => (who === '' ? 'Accept call' : `Accept call: ${who}`),
    decline: 'Decline call',
    mute: 'Mute microphone',
    unmute: 'Unmute microphone',
    hangUp: 'Hang up',
    nothing: 'Nothing found',
    keys: '↑ ↓ to choose, Enter to open, Esc to close',
    kinds: { CONTACT: 'Contact', NUMBER: 'Number', FLOW: 'Assistant', DEVICE: 'Device', USER: 'Person', CALL: 'Call' },
  },
  de: {
    title: 'Suchen und öffnen',
    placeholder: 'Eine Seite, ein Name, eine Nummer …',
    call: (who: string) => `${who} anrufen`,
    accept: (who: string) => (who === '' ? 'Anruf annehmen' : `Anruf annehmen: ${who}`),
    decline: 'Anruf ablehnen',
    mute: 'Mikrofon stummschalten',
    unmute: 'Mikrofon einschalten',
    hangUp: 'Auflegen',
    nothing: 'Nichts gefunden',
    keys: '↑ ↓ wählen, Enter öffnen, Esc schließen',
    kinds: { CONTACT: 'Kontakt', NUMBER: 'Rufnummer', FLOW: 'Assistent', DEVICE: 'Gerät', USER: 'Person', CALL: 'Anruf' },
  },
})
