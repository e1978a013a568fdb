import { words } from '#words/languages.ts'

export const text = words({
  en: {
    accountLanguage: 'As the account',
    noLanguage: 'No such language; write a tag such as pt-BR',
    anyVoice: 'Default for the language',
    play: 'Play a sample',
    stop: 'Stop the sample',
    failed: 'The sample could not be played.',
  },
  de: {
    accountLanguage: 'Wie das Konto',
    noLanguage: 'Diese Sprache gibt es nicht; schreib ein Kürzel wie pt-BR',
    anyVoice: 'Standard für die Sprache',
    play: 'Hörprobe abspielen',
    stop: 'Hörprobe anhalten',
    failed: 'Die Hörprobe ließ sich nicht abspielen.',
  },
})
