import { nameSet } from './places.ts';

/** Given names common in and around Belgium, and among people who move there; compiled for this detector. */
export const GIVEN_NAMES: ReadonlySet<string> = nameSet(`
  adele adeline adrien agathe agnes aime alain albert aline alexandra alexandre alexia alexis alfred alice alphonse amandine amelie amaury
  anais andre andree angele angelique anne annick annie antoine antoinette ariane armand arnaud arthur astrid aude audrey auguste aurelie
  aurelien aurore axel axelle baptiste bastien baudouin beatrice benedicte benjamin benoit bernadette bernard berthe bertrand blanche
  brigitte bruno camille capucine carine carole caroline catherine cecile cedric celestin celine chantal charles charlotte chloe christel
  christelle christian christiane christine christophe claire clara claude claudette claudine clemence clement clementine clothilde colette
  coralie corentin corinne cyril cyrille damien daniel daniele danielle david deborah delphine denis denise desire didier dominique donatien dorothee
  edgard edith edmond edouard eleonore elena eliane elisabeth elise elodie eloise emeline emile emilie emilien emma emmanuel emmanuelle eric
  ernest esther estelle etienne eugene eugenie eva eve eveline fabian fabien fabienne fabrice fanny felicien felix fernand fernande firmin
  flavie florent florian francine francis franck francois francoise frederic frederique gabriel gabrielle gaelle gaetan gaspard gaston genevieve
  georges georgette gerald gerard germain germaine ghislain ghislaine gilbert gilberte gilles gisele godelieve gregoire gregory guillaume
  gustave guy gwendoline helene henri henriette herve honore hortense hubert hugo hugues ines irene isabelle isaline ivan jacky jacqueline
  jacques jade jean jeanine jeanne jeannine jennifer jeremie jeremy jerome jessica joachim jocelyne joel joelle johan johanna jonathan
  joseph josephine josette josiane judith jules julie julien julienne juliette justin justine karine karl kevin laetitia laura laure laurence
  laurent laurie lea leo leon leonie leontine leopold liliane lilou lina line lionel lise lisette loic louis louise luc lucas lucie lucien
  lucienne lucile ludivine ludovic lydie lydia madeleine mael magali maite manon manuel marc marcel marceline marcelle margaux margot marguerite
  maria marianne marie marielle marine marion marius marjorie marthe martial martin martine mathias mathieu mathilde mathis matteo matthieu maud
  maurice max maxence maxime maximilien melanie melissa michael michel michele micheline mireille monique morgane muriel myriam nadege
  nadine natacha nathalie nathan nelly nestor nicolas nicole noe noemie norbert octave odette odile olivia olivier ophelie oscar pascal pascale
  pascaline patrice patricia patrick paul paula paule pauline perrine philibert philippe pierre pierrette quentin rachel raoul raphael raymond
  raymonde regine regis remi remy renaud rene renee richard robert robin roch rodolphe rodrigue roger roland romain romane rosalie rosine ruben
  sabine sabrina salome samuel sandra sandrine sarah sebastien serge severine simon simone solange solene sonia sophie stephane stephanie
  suzanne suzette sylvain sylvestre sylvia sylviane sylvie tanguy tatiana theo theodore therese thibault thibaut thierry thomas tiffany timothee
  tristan ulysse valentin valentine valerie vanessa veronique victor victorine vincent vinciane virginie viviane walter wendy werner wilfried
  william xavier yann yannick yolande yohan yvan yves yvette yvon yvonne zelie zoe

  aart adriaan adriana agnetha alida an anita anja anke ann anneke annelies annemie anneleen annick anouk anton antoon ariane arne arno aster
  barbara bart bartel bas bea bert bieke birgit bjorn boudewijn brecht bram britt carine carla caroline cas christel christophe cis cornelis daan dana danny dave
  davy denise diederik diego dieter dimitri dirk dorien dries eddy edward ellen elke els elsie elsje emiel emilie emma erik erika erwin evelien
  evy eveline femke ferre filip finn frank frans frederik freek fien fleur floor floris geert geertje geertrui gerda gerrit gert gerty gijs gilles goedele
  greet greta griet guido gunter gunther guy hanna hannah hanne hannelore hans harry heidi hein helga hendrik henk herman hilde hugo ilse imke ine ingrid
  inge ingeborg ivo jaak jaap jan jana janne jannes jasper jef jelle jens jeroen jessie joeri johan johanna johannes johnny jonas joost joren joris jos jozef
  joke jolien jonathan joyce julie jurgen kaat karel karen karin kasper katleen katrien katrijn kathleen katja kim kjell klaas kobe koen koenraad kris
  kristien kristel kristof krista kurt laura lars lander leen lena lennert leonard lenny lien lies liesbeth liesbet lieve lieven liesje linde lisa lise lode loes
  lore lotte louis lowie luc lucas ludo luk lut lutgart maarten maaike machteld magda manon marc marcel margriet maria marieke marij marijke marijn
  marleen marloes martijn martine mats matthias maurits mia michiel mieke mien mieke miet mike milan mira mirjam mohamed monique nancy nand natascha
  nele nelle nick nico nicole nina noor nora noah olivia oskar patrick paul peter petra philip piet pieter pim pol rani raf reinhilde reinout renaat renilde rian rik
  rita rob robbe robin roel roeland rogier ronny roos ruben rudi rudy rutger ruth saar sander sandra sanne sara saskia senne seppe servaas sien sigrid silke
  simonne sofie sonja stan stef stefaan stefan stefanie steven stijn sven sylvie tania tessa theo thijs tibo tijl tijs tilly tim tine tinne tobias tom toon trees trui tuur
  veerle vera vic viktor walter wannes ward warre wesley willem willy wilfried wim wout wouter yana yannick yorick yvan zita

  adelheid adolf albrecht alexander alfons almut alois andrea andreas angelika anke annegret annelie anneliese annemarie antje antonia armin
  arnold astrid axel barbel bastian beate benedikt bernd bernhard bernhardine bettina bianca birgit birgitta bjorn bodo brigitta britta burkhard carmen carsten christa
  christian christiane christina christine christoph claudia clemens cornelia corinna dagmar daniela detlef dietmar dieter dietrich doris dorothea eberhard
  eckhard edeltraud egon elfriede elias elisabeth elke ella emil emilia erhard erich erika erna ernst erwin eva ewald felix ferdinand finn florian
  franz franziska frauke frieda friedrich fritz gabi gabriele georg gerald gerd gerda gerhard gerlinde gertrud gisela greta gudrun gunter gunther gustav hannelore hannes
  hans harald hartmut hedwig heidi heike heiko heiner heinrich heinz helene helga helmut henning herbert hermann hildegard holger horst hubert ida ilse
  ines ingeborg ingo ingrid irene iris irmgard isabel jakob jan jana janina jens joachim jochen johann johanna johannes jonas jorg josef josefine julia julian juliane
  jurgen jutta kai karin karl karla karlheinz karola karsten katharina kathrin katja katrin kerstin klara klaus konrad konstantin kornelia kristina kurt lars lea
  lena leni leon leonhard liesel lina linus lorenz lothar luca ludwig luisa lukas lutz lydia magdalena maik maja manfred manuela marcel marco margarete margit
  margot maria marianne marion marita markus marlene marlies martha martin martina mathilde matthias max maximilian mechthild meike melanie melina michael
  michaela mika mia miriam monika moritz nadja nadine nadia natalie nicole niklas nils nina norbert olaf oliver oskar ottilie otto patrizia paul paula peter petra philipp
  ralf rainer raimund ramona rebekka regina reiner reinhard reinhold renate resi ricarda rita robert roland rolf ronja rosa rosemarie roswitha rudiger rudolf ruth
  sabrina sandra sara saskia sebastian siegfried sigrid silke silvia simone sonja sophia stefan stefanie steffen susanne sven svenja sybille sylke tanja
  thea theresa thorsten tilman tim timo tobias torsten ulrich ulrike ursula ute uwe valentin vera verena veronika viktor volker waltraud wenzel werner wiebke wilfried
  wilhelm wilma winfried wolfgang yvonne

  aaron abigail adam adrian aidan alan alana albert alfie alison allan amanda amber amelia amy andrew angela anna anthony archie arlene ashley
  audrey barbara barry beatrice becky benjamin bernard beth bethany beverley bradley brandon brenda brian bridget bruce callum cameron carl carol caroline
  catherine cathy charles charlie charlotte chelsea cheryl chloe christina christine christopher claire colin connor courtney craig cynthia daisy daniel danielle
  darren david dawn dean deborah debbie declan deirdre denise dennis derek diana diane donald donna dorothy douglas duncan dylan edward edwin eileen elaine eleanor
  elizabeth ella ellen ellie emily emma eric erin ethan evan evelyn ewan fiona frances francis frank frederick gareth gary gavin gemma geoffrey george georgina
  gerald geraldine gillian gina glenn gloria gordon graham greg gregory hannah harold harriet harry hazel heather helen henry holly howard hugh ian imogen irene
  isabella isla jack jacob jacqueline jake james jamie jane janet janice jasmine jason jay jayne jean jeffrey jenna jennifer jenny jeremy jessica jill joan joanna
  joanne joe john jonathan josh joshua joyce judith judy julia julian julie justin karen kate katherine kathleen kathryn katie keith kelly kenneth kerry kevin kim
  kimberley kirsty kyle laura lauren lawrence leanne lee leonard leslie lewis liam lillian linda lindsay lisa logan lorna lorraine louise lucy luke lynn lynne malcolm
  margaret maria marilyn marjorie marlon martha martin mary mason matthew maureen maxine megan melanie melissa michael michelle mildred miles mitchell mohammed moira molly
  morag natalie natasha nathan neil nicholas nicola nigel noah norman oliver olivia oscar owen pamela patricia patrick paul pauline peggy penelope peter philip phoebe
  phyllis poppy rachel ralph raymond rebecca reginald rhys richard riley robert roger ronald rosalind rosemary ross roy ruth ryan sally samantha samuel sandra sarah
  scott sean shane shannon sharon shaun sheila shirley simon sophie stacey stanley stella stephen steve steven stewart stuart susan suzanne tamara tara terence teresa
  theresa thomas timothy tina toby tony tracey tracy tyler valerie vanessa vera vernon veronica victor vincent violet vivian walter wayne wendy william yvonne zachary zara

  abbas abdallah abdelaziz abdelhak abdelkader abdellah abderrahim abdou abdul abdulaziz abdullah adel adil adnan ahlam ahmad ahmed aicha aida aisha aissa akram
  ali alia alaa amal amani amar amina amine amir amira ammar anas anis anissa anouar ashraf asma aya ayman ayoub aziz aziza badr bachir bashir bassam bilal bouchra
  brahim chaima chakib dalila dina driss dounia elham fadi fadila fahd faisal farah farid farida faris fatiha fatima fatma faycal fawzi firas fouad fouzia ghada ghassan habib
  habiba hafid hafsa haitham hajar hakim hala halima hamid hamida hamza hana hanane hasan hasna hassan hassiba hatem hayat hicham hiba hind hisham houda houria hussein
  husam ibrahim idris ikram ilham ilias ilyas iman imad imane imran ines ismail issa jalal jamal jamila jawad kamal karim karima kawtar khadija khaled khalid khalil
  lahcen laila lamia latifa layla leila loubna lubna mahdi maha mahmoud majid malak malik malika manal mansour mariam marwa marwan maryam mehdi meriem mohamed mohammad mohammed mokhtar
  mona mounia mounir mourad moussa muhammad muna munir musa mustapha nabil nabila nada nader nadia nadir naima najat najib najwa nasser nawal nidal nizar nora noura nour
  noureddine omar osama othman oualid rabia rachid rachida raja ramadan rami rana rania rashid rayan redouane rim rima saad sabah said saida salah saleh salem salim salima salma salman
  sami samia samir samira sana sara selma sihem siham soufiane souad soukaina sofiane sofian tahar tarek tariq tayeb wafa wahid walid wassim widad yahya yasin yasmin yasmina yasmine yassine
  yassin yasser younes youness yousef youssef yusuf zahra zaid zainab zakaria zaki zineb ziad zohra

  abdulkadir ahmet akin alper altan arda asli asuman ayhan ayla ayse aysegul aysel aytac azra baris basak bayram begum bekir belgin berk berkay beyza bora bulent burak burcu busra
  cem cemal cemile cengiz ceren cihan cigdem defne demet deniz derya dilan dilek ebru ece eda ekrem elif emel emin emine emrah emre engin enes erdal erdem eren erkan erol ersin ertugrul
  esin esma esra fadime fatih fatma faruk ferhat fevzi fikret filiz furkan gamze gokhan gonul gul gulay gulcan gulsen gurkan hakan haluk halil hamdi hande hanife harun hasan hatice havva hayriye
  huseyin hulya husniye ilhan ilker irem irfan ismail kaan kadir kemal kenan kerem koray kubra leyla mehmet melek melike meltem mert merve meryem mesut mete metin mine muhammet murat musa mustafa
  nazan nazli necati nesrin neslihan nihat nilgun nur nuray nurcan nuri oguz okan omer onur orhan osman ozan ozge ozgur ozlem pelin pinar ramazan recep remzi ridvan sabri saliha sedat seda selcuk selim
  selin sema semih semra serap serdar serhat serkan sevda sevgi sevim sibel sinan songul suat sukru suleyman sultan tarik tayfun tolga tugba tuncay turgut ufuk ugur umit umut volkan yakup yalcin yasar
  yasin yavuz yeliz yigit yildiz yilmaz yunus yusuf zehra zekeriya zeynep zubeyde

  alina alla anastasiia anastasia anatolii andrii andriy anhelina anton artem bohdan borys dariia daria denys diana dmytro halyna hanna hennadii hryhorii ihor inna iryna ivan ivanna
  kateryna khrystyna kostiantyn kyrylo larysa lesia lidiia liliia liubov liudmyla lyudmyla maksym marharyta mariia maryna mykhailo mykola mykyta myroslava nadiia natalia nataliia natalya nazar nina
  oksana olena oleh oleksandr oleksandra oleksii oleg olga olha ostap pavlo petro polina roman ruslan ruslana serhii serhiy sergiy sofiia stanislav stepan svitlana taras tamara tetiana tetyana
  uliana vadym valentyna valerii vasyl vasylyna viacheslav vika viktor viktoriia vira vitalii vladyslav volodymyr yana yaroslav yaroslava yehor yelyzaveta yevhen yevheniia yulia yuliia yurii yuriy zhanna zoia
  aleksandr aleksandra aleksey alexei andrei boris dmitri dmitry ekaterina igor irina lyubov mikhail natalya nikolai pavel sergei sergey svetlana tatyana vladimir yelena

  adriana alberto aldo alejandro alessandro alessia alessandra alvaro ana andreea angel angelo antonio arturo beatriz bogdan carla carlo carlos carmela catalin catarina chiara cristian cristina daniela dario davide
  diego diogo domenico dragos duarte eduardo elena eleonora elisa emanuele enrico enrique ernesto esteban fabio federica federico fernanda fernando filippo francesca francesco francisco gabriela gheorghe giacomo
  gianluca giorgia giorgio giovanni giovanna giulia giulio giuseppe gonzalo guillermo gustavo ignacio ilaria ioana ion ionut isabel jaime javier joana joao joaquim joaquin jorge jose juan juana lorenzo luca lucia
  luigi luis luisa manuela marcelo marcin marco marek margarida maria mariana mario marta massimo mateusz matteo mauro michal miguel mihaela mihai miguel monica nuno pablo paolo paola patrizia paulo pawel pedro
  piotr agnieszka andrzej ewa grzegorz jakub joanna katarzyna krzysztof magdalena malgorzata tomasz wojciech zbigniew rafael ramon raquel raul ricardo roberto rodrigo rosa rui salvatore sergio silvia simona stefania
  stefano susana teresa tiago valentina vasile vincenzo vitor zoltan laszlo gabor istvan milos milan nikola dragan goran zoran ivana jelena marija marko petar stefan vesna zeljko ilir arben besnik fatmir shpresa

  abena abiodun adama ade adjoa akosua alassane alioune ama amadou aminata amara ange aissatou awa babacar bintou boubacar chidi chinedu chioma cheikh dieudonne djibril emeka esperance fanta fatou fatoumata
  fidele grace ibrahima ifeoma innocent jean-bosco kadiatou kamau kwabena kwame kofi kouame kwasi lamine mamadou mariama mariame moussa mukendi ndeye ngozi nkechi oumar ousmane pape patience salif
  sekou seydou sidi tendai thandi thierno yaw yao abebe alem almaz dawit haile meron selam tekle yonas getachew hiwot
  abdi hodan farhan anil amit ananya anita anjali arjun arun deepak deepa gita harish kavita kiran krishna lakshmi manish meera mohan neha nikhil pooja pradeep priya rahul raj rajesh rakesh ravi rohit sanjay sandeep
  sanjeev shanti sunil sunita suresh vijay vikram bao chen hong hui jing li ling mei ming minh nguyen phuong thanh thi thuy tuan wei xiao yan ying hiroshi kenji yuki akira sakura
  arash ali-reza amir-hossein behrouz dariush ehsan fereshteh golnaz hossein javad kaveh leyla mahsa maryam masoud mehran mina mohsen morteza nasrin navid nima parisa parviz reza saeed sahar shirin sina zahra zari
  jamshid najib nasir noor rahim rahmat rahmatullah sayed shafiq tariq wali zabihullah
`);

/** Names that are more often a place, a day or a thing: they count only next to a known surname or after a cue. */
export const AMBIGUOUS_NAMES: ReadonlySet<string> = nameSet(`
  frans blanche galileo orange luna sol iris ines alba aura era ada dora leo max ben will mark bill art frank drew chase hope faith joy rose lily ruby jade olive sage ivy
  adelaide alma amber an angel august augusta aurora china constance deniz florence france georgia grace hong israel ion jordan jose kim li lie line louise
  mars may mei melle ming noel olympia paris patience petra rob roman rosa sana sara sofia sultan sydney tara tilburg victoria vienne virginia yan
  innocent esperance ange ama ade alem aya jay lee nour malak dawn daisy holly hazel poppy violet ross roy dean miles mason riley
  nick mike mine nur iman bas bea cas ward stan linde roos
`);
