import { GatewayFailure, type ForeignProtocol, type Translator, type TranslatorParts } from './gateway.ts'
import { JambonzTranslator } from './jambonz/jambonz-translator.ts'
import { MediaStreams } from './media-streams.ts'
import { OpenAiRealtime } from './openai-realtime.ts'
import { RelayTranslator } from './relay/relay-translator.ts'
import { RetellTranslator } from './retell.ts'
import { TwilioTranslator } from './twilio/twilio-translator.ts'
import { VapiTranslator } from './vapi.ts'

const translators: Partial<Record<ForeignProtocol, new (deps: TranslatorParts) => Translator>> = {
  conversation_relay: RelayTranslator,
  media_streams: MediaStreams,
  openai_realtime: OpenAiRealtime,
  twilio: TwilioTranslator,
  vapi: VapiTranslator,
  retell: RetellTranslator,
  jambonz: JambonzTranslator,
}

/** The translator for the protocol of a flow. */
export const openGateway = (deps: TranslatorParts): Translator => {
  const { protocol } = deps.settings
  const Found = translators[protocol]
  if (!Found) throw new GatewayFailure({ opened: false, refused: true, message: `The protocol ${protocol} is not supported yet` })
  return new Found(deps)
}
