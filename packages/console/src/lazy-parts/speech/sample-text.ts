/** Typical sentences of assistants, for voice samples. */
const greetings: Readonly<Record<string, string>> = {
  en: 'Hello, how can I help you today?',
  de: 'Guten Tag, was kann ich für Sie tun?',
  fr: 'Bonjour, que puis-je faire pour vous ?',
  es: 'Buenos días, ¿en qué puedo ayudarle?',
  it: 'Buongiorno, come posso aiutarla?',
  nl: 'Goedendag, waarmee kan ik u helpen?',
  pt: 'Bom dia, em que posso ajudar?',
  pl: 'Dzień dobry, w czym mogę pomóc?',
}

/** In the language of the voice, or in English. */
export const sampleText = (language: string): string => greetings[language.slice(0, 2).toLowerCase()] ?? greetings['en'] ?? ''
