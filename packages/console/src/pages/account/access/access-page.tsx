import { useMay } from '#api/use-may.ts'
import { Page } from '#parts/page/page.tsx'
import { useText } from '#words/use-text.tsx'
import { ConnectedApps } from './connected-apps.tsx'
import { ConnectAssistant } from './leash/connect-assistant.tsx'
import { OauthClients } from './oauth-clients.tsx'
import { PersonalTokens } from './personal-tokens.tsx'
import { text } from './text.ts'

export const AccessPage = () => {
  const say = useText(text)
  const may = useMay()
  return (
    <Page title={say.title} description={say.lead}>
      {may('CAN_MANAGE_TOKENS') && <ConnectedApps />}
      {may('CAN_MANAGE_TOKENS') && <PersonalTokens />}
      {may('CAN_MANAGE_TOKENS') && <ConnectAssistant />}
      {may('CAN_MANAGE_OAUTH_CLIENTS') && <OauthClients />}
    </Page>
  )
}
