import type { AssistantSettings } from '../assistant-values.ts'

export const templateLanguages = ['en', 'de'] as const
export type TemplateLanguage = (typeof templateLanguages)[number]

/** An initial assistant: works as it is, and marks the text to replace. */
export interface AssistantTemplate {
  name: string
  /** One line: its purpose. */
  description: string
  settings: AssistantSettings
}

export type InTemplateLanguages = Readonly<Record<TemplateLanguage, AssistantTemplate>>

/** General rules for speaking on the telephone. A short first sentence is heard sooner. */
export const manners: Readonly<Record<TemplateLanguage, string>> = {
  en: `Callers hear you, they do not read you. Begin every answer with a short sentence. Say at most three sentences, then let the caller speak. Ask one question at a time. Never speak in lists, and use no headings, links or symbols. Say times and numbers as people say them. Repeat names and phone numbers to make sure that they are right.

If you do not know something, say so. Never make up prices, times or promises. When the caller has all they want, say goodbye and hang up.`,
  de: `Anrufer hören dich, sie lesen dich nicht. Beginne jede Antwort mit einem kurzen Satz. Sag höchstens drei Sätze, dann lass den Anrufer sprechen. Stell nur eine Frage auf einmal. Sprich nie in Aufzählungen und verwende keine Überschriften, Links oder Zeichen. Sag Uhrzeiten und Zahlen so, wie man sie spricht. Wiederhole Namen und Telefonnummern, damit sie stimmen. Sprich Anrufer mit Sie an.

Wenn du etwas nicht weißt, sag das. Erfinde keine Preise, Zeiten oder Zusagen. Wenn der Anrufer alles hat, was er wollte, verabschiede dich und leg auf.`,
}
