import type { Scenario } from '@offhook/contract/assistant/scenario.ts'
import { words } from '#words/languages.ts'

type Step = Scenario['steps'][number]
type Expectation = Extract<Step, { expect: unknown }>['expect']

const listed = (said: string | readonly string[], join: string): string => [said].flat().join(join)

export const text = words({
  en: {
    steps: 'Steps',
    caller: 'Caller',
    expected: 'Expected',
    judged: 'Judged',
    says: (words: string) => `“${words}”`,
    interrupts: (seconds: string) => `interrupts after ${seconds} s`,
    speaksInto: (seconds: string) => `says after ${seconds} s without interrupting`,
    presses: (keys: string) => `presses ${keys}`,
    waits: (seconds: string) => `says nothing for ${seconds} s`,
    hangsUp: 'hangs up',
    played: (goal: string) => `is played by a model that wants: ${goal}`,
    expects: (expect: Expectation): string[] => [
      ...(expect.said === undefined ? [] : [`says “${listed(expect.said, '” … “')}”`]),
      ...(expect.not_said === undefined ? [] : [`does not say “${listed(expect.not_said, '” or “')}”`]),
      ...(expect.action === undefined ? [] : [`does ${expect.action}${expect.target === undefined ? '' : ` (${expect.target})`}`]),
      ...(expect.action === undefined && expect.target !== undefined ? [`target ${expect.target}`] : []),
      ...(expect.tool === undefined ? [] : [`uses the tool ${expect.tool}`]),
      ...(expect.outcome === undefined ? [] : [`outcome ${expect.outcome}`]),
      ...(expect.ended === undefined ? [] : [`the call is over: ${expect.ended}`]),
      ...(expect.within_ms === undefined ? [] : [`answers within ${expect.within_ms} ms`]),
    ],
    states: { running: 'Running', passed: 'Passed', failed: 'Failed', error: 'Could not run' },
    by: { caller: 'Caller', assistant: 'Assistant', service: 'Service' },
    failures: 'What went wrong',
    atStep: (step: number) => (step === 0 ? 'Overall' : `Step ${step}`),
    transcript: 'How it went',
    cut: 'cut off',
    noTranscript: 'Nothing was said.',
    lasted: (lasted: string, took: string) => `A call of ${lasted}, simulated in ${took} ms`,
    endpoint: 'Who answers',
    live: 'The version that answers calls now',
    draft: 'The draft',
    version: (version: number) => `Version ${version}`,
  },
  de: {
    steps: 'Schritte',
    caller: 'Anrufer',
    expected: 'Erwartet',
    judged: 'Beurteilt',
    says: (words: string) => `„${words}“`,
    interrupts: (seconds: string) => `unterbricht nach ${seconds} s`,
    speaksInto: (seconds: string) => `sagt nach ${seconds} s, ohne zu unterbrechen`,
    presses: (keys: string) => `drückt ${keys}`,
    waits: (seconds: string) => `sagt ${seconds} s lang nichts`,
    hangsUp: 'legt auf',
    played: (goal: string) => `wird von einem Modell gespielt, das will: ${goal}`,
    expects: (expect: Expectation): string[] => [
      ...(expect.said === undefined ? [] : [`sagt „${listed(expect.said, '“ … „')}“`]),
      ...(expect.not_said === undefined ? [] : [`sagt nicht „${listed(expect.not_said, '“ oder „')}“`]),
      ...(expect.action === undefined ? [] : [`tut ${expect.action}${expect.target === undefined ? '' : ` (${expect.target})`}`]),
      ...(expect.action === undefined && expect.target !== undefined ? [`Ziel ${expect.target}`] : []),
      ...(expect.tool === undefined ? [] : [`verwendet das Werkzeug ${expect.tool}`]),
      ...(expect.outcome === undefined ? [] : [`Ergebnis ${expect.outcome}`]),
      ...(expect.ended === undefined ? [] : [`der Anruf ist vorbei: ${expect.ended}`]),
      ...(expect.within_ms === undefined ? [] : [`antwortet binnen ${expect.within_ms} ms`]),
    ],
    states: { running: 'Läuft', passed: 'Bestanden', failed: 'Nicht bestanden', error: 'Nicht ausführbar' },
    by: { caller: 'Anrufer', assistant: 'Assistent', service: 'Dienst' },
    failures: 'Was nicht gestimmt hat',
    atStep: (step: number) => (step === 0 ? 'Insgesamt' : `Schritt ${step}`),
    transcript: 'Wie es verlief',
    cut: 'unterbrochen',
    noTranscript: 'Nichts wurde gesagt.',
    lasted: (lasted: string, took: string) => `Ein Anruf von ${lasted}, simuliert in ${took} ms`,
    endpoint: 'Wer antwortet',
    live: 'Die Version, die jetzt Anrufe annimmt',
    draft: 'Der Entwurf',
    version: (version: number) => `Version ${version}`,
  },
})

export type ScenarioText = (typeof text)['en']
