import { plainRelay, readSigns, type RelaySettings } from '../relay/relay-settings.ts'
import { childrenOf, type XmlElement } from './xml.ts'

/** The attributes of `<ConversationRelay>`, and its `<Parameter>`s. */
export const relayIn = (element: XmlElement, language: string): RelaySettings => {
  const { attributes: given } = element
  const spoken = given.ttsLanguage ?? given.language
  const parameters = childrenOf(element).filter(({ name }) => name === 'Parameter')
  return {
    ...plainRelay(given.transcriptionLanguage ?? given.language ?? language),
    ...(given.welcomeGreeting !== undefined && { welcomeGreeting: given.welcomeGreeting }),
    ...(spoken !== undefined && { ttsLanguage: spoken }),
    welcomeGreetingInterruptible: readSigns(given.welcomeGreetingInterruptible, 'any'),
    interruptible: readSigns(given.interruptible, 'any'),
    reportInputDuringAgentSpeech: readSigns(given.reportInputDuringAgentSpeech, 'none'),
    preemptible: given.preemptible === 'true',
    partialPrompts: given.partialPrompts === 'true',
    dtmfDetection: given.dtmfDetection === 'true',
    customParameters: Object.fromEntries(parameters.map(({ attributes: { name = '', value = '' } }) => [name, value])),
  }
}
