import { words } from '#words/languages.ts'

export const text = words({
  en: {
    accountLanguage: 'Same as the account',
    noLanguage: 'Unknown language. Enter a tag such as pt-BR',
    anyVoice: 'Default for the language',
    play: 'Play a sample',
    stop: 'Stop the sample',
    failed: 'The sample could not be played.',
  },
  de: {
    accountLanguage: 'Wie das Konto',
    noLanguage: 'Unbekannte Sprache. Gib ein Kürzel wie pt-BR ein',
    anyVoice: 'Standard für die Sprache',
    play: 'Hörprobe abspielen',
    stop: 'Hörprobe anhalten',
    failed: 'Die Hörprobe ließ sich nicht abspielen.',
  },
})
