export interface History {}
