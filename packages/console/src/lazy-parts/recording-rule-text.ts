import type { RecordingRule } from '@offhook/contract/v1/settings/recording-rule.ts'
import { words } from '#words/languages.ts'

interface RuleWords {
  rules: Record<RecordingRule, string>
  hints: Record<RecordingRule, string>
}

const english: RuleWords = {
  rules: { none: 'Without announcement', announce: 'Announce', consent: 'Ask for consent' },
  hints: {
    none: 'A recording begins at once. In many countries you must say so yourself.',
    announce: 'All parties hear that the call is being recorded, then the recording begins.',
    consent: 'The other party is asked and presses 1, or says yes to an assistant. Without consent nothing is recorded.',
  },
}

const german: RuleWords = {
  rules: { none: 'Ohne Ansage', announce: 'Ansagen', consent: 'Zustimmung einholen' },
  hints: {
    none: 'Eine Aufnahme beginnt sofort. In vielen Ländern musst du selbst darauf hinweisen.',
    announce: 'Alle Beteiligten hören, dass aufgenommen wird, danach beginnt die Aufnahme.',
    consent: 'Die andere Seite wird gefragt und drückt die 1 oder sagt einem Assistenten Ja. Ohne Zustimmung wird nichts aufgenommen.',
  },
}

/** Conditions for recording a call, for the account and for single numbers. */
export const text = words({
  en: { title: 'Recording rule', ...english },
  de: { title: 'Aufnahmeregel', ...german },
})

/** In display order. */
export const recordingRules = Object.keys(english.rules) as RecordingRule[]
