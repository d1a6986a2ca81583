import { nameSet } from './places.ts';

/** Frequent surnames of the same population; compiled for this detector. */
export const SURNAMES: ReadonlySet<string> = nameSet(`
  peeters janssens maes jacobs mertens willems claes goossens wouters desmet dubois lambert dupont martin simon laurent leroy lefebvre michiels aerts hermans vermeulen
  pauwels dumont hendrickx wauters declercq smets segers lemmens cools verhoeven verstraete coppens vandamme devos desmedt thys thijs nys bogaert bogaerts bosmans
  carlier charlier claessens cornelis daems denis deprez descamps dewulf diels dierckx francois geerts gerard gilson gillet hanssens heylen jansen janssen jacquemin lauwers leclercq
  lejeune leonard lenaerts luyten marchal massart mathieu moens moreau nijs noel parmentier peters petit pieters raes renard roelandt simons smet stevens theunis thiry timmermans
  tack verbeke verbruggen vercammen verlinden vermeersch verschueren vervoort vandenberghe vandenbroeck vandenbroucke vanhove vandevelde vanderlinden verheyen wuyts
  bernard thomas robert richard durand bertrand morel fournier girard bonnet lemaire faure rousseau blanc guerin boyer garnier chevalier francois legrand gauthier garcia perrin robin
  clement morin nicolas henry roussel mathieu gautier masson marchand duval denis lemoine meyer lucas dufour meunier brun blanchard giraud joly riviere lacroix fontaine olivier
  dejong devries vandenberg vandijk bakker visser smit meijer deboer mulder dekker brouwer dewit dijkstra smits degraaf vandermeer kok vermeer hoekstra kuipers postma prins
  muller schmidt schneider fischer weber wagner becker schulz hoffmann schafer koch bauer richter klein wolf schroder neumann schwarz zimmermann braun kruger hofmann hartmann lange
  schmitt werner schmitz krause lehmann kohler maier mayer walter kaiser fuchs scholz lang weiss jung hahn schubert vogel friedrich keller gunther berger winkler roth beck lorenz baumann franke
  albrecht schuster simon ludwig bohm winter kraus schumacher vogt stein jager otto sommer gross seidel heinrich brandt haas schreiber graf dietrich ziegler kuhn kuhn pohl engel horn bergmann sauer
  arnold pfeiffer kessler radermacher niessen heinen theissen hilgers franzen pauels cremer servais
  smith jones taylor williams brown davies evans wilson thomas johnson roberts robinson thompson wright walker white edwards hughes green hall lewis harris clarke patel jackson wood turner martin
  cooper hill ward morris moore clark lee king baker harrison morgan allen james scott phillips watson davis parker price bennett young griffiths mitchell kelly cook carter richardson bailey collins
  bell shaw murphy miller cox richards khan marshall anderson simpson ellis adams singh begum wilkinson foster chapman powell webb rogers gray mason ali hunt hussain campbell matthews owen palmer holmes
  mills barnes knight lloyd butler russell barker fisher stevens jenkins murray dixon harvey graham pearson ahmed fletcher walsh kaur gibson howard andrews stewart elliott reynolds
  benali elamrani amrani bensalem benmoussa bouazza bouzid cherif daoudi elidrissi elkhattabi haddad hamdi hamidi idrissi karimi khattabi mansouri mokhtari naciri ouali rahmani saidi slimani tahiri toumi
  yilmaz kaya demir celik sahin yildiz yildirim ozturk aydin ozdemir arslan dogan kilic aslan cetin kara koc kurt ozkan simsek polat korkmaz erdogan gunes aksoy bulut keskin tekin
  shevchenko kovalenko bondarenko tkachenko kravchenko boyko kovalchuk oliynyk shevchuk koval polishchuk bondar tkachuk melnyk moroz lysenko marchenko rudenko savchenko petrenko kravets
  popescu ionescu popa dumitru stan radu nowak kowalski kowalska wisniewski wojcik kaminski lewandowski zielinski szymanski kowalczyk silva santos ferreira pereira oliveira costa rodrigues martins
  rossi russo ferrari esposito bianchi romano colombo ricci marino greco bruno gallo conti garcia fernandez gonzalez rodriguez lopez martinez sanchez perez gomez jimenez ruiz hernandez diaz moreno
  diallo bah barry sow camara traore toure keita coulibaly diarra cisse kone ouattara ndiaye diop fall gueye mbaye mensah osei boateng owusu okafor okonkwo adeyemi adebayo balogun eze
  mukendi kabongo ilunga tshibangu kalala ngoy mulumba nguyen tran pham hoang phan wang zhang liu chen yang huang zhao sharma kumar gupta reddy iyer patel mehta hosseini ahmadi mohammadi rezaei
`);

/** Endings that hardly any other word has. */
export const SURNAME_ENDING =
  /(?:enko|chuk|czuk|ovi[cć]|evi[cć]|ovych|escu|ogl?lu|oğlu|ssens|opoulos|shvili|dze|wicz|owski|owska|\p{L}{3}[oe]va|iewska|iewski|yan|енко|чук|ович|івна|івни)$/iu;

/** Surnames joined with their particle; no other word begins so. */
export const JOINED_SURNAME = /^V(?:ande[nr]?|ANDE[NR]?)\p{L}{4,}$/u;

/** Small words inside a surname. */
export const PARTICLES: ReadonlySet<string> = new Set(
  'van vande vanden vander von vom zu zum zur de den der du des del della di da dos la le el al ben bin ibn bint ould abu abou ait ter ten te t mac mc st'.split(
    ' ',
  ),
);
