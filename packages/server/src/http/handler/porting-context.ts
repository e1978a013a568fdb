import type { PortingContext } from '#core/account/portings/porting-record.ts'
import type { HandlerDeps } from './handler-deps.ts'

export const portingContext = ({ clock, vault, installation }: Pick<HandlerDeps, 'clock' | 'vault' | 'installation'>): PortingContext => ({
  clock,
  vault,
  carrierCode: installation.carrierCode,
  publicUrl: installation.publicUrl,
})
